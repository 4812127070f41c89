// The measurements as tables for people and as figures for programs, beside what was promised.
import { median, percentile, printTable } from "../table.ts";
import { judgeTargets, type Target } from "../targets.ts";
import type { Contender, ContenderName } from "./contender.ts";
import type { Idle } from "./measure-idle.ts";
import type { ClaimTimes } from "./time-claims.ts";
import type { ContenderRound } from "./time-contender.ts";

export type Rounds = Readonly<Record<ContenderName, readonly ContenderRound[]>>;

export interface QueueMeasurements {
  readonly contenders: readonly Contender[];
  readonly rounds: Rounds;
  readonly claims: ClaimTimes;
  readonly idle: Idle;
}

export function reportQueue({ contenders, rounds, claims, idle }: QueueMeasurements): object {
  printContenders(contenders, rounds);
  printClaims(claims);
  process.stdout.write(
    `\nidle server: ${idle.rssMb.toFixed(0)} MB, ${idle.cpuPercent.toFixed(2)} % of a core\n\n`,
  );
  judgeTargets(targetsOf(rounds, claims, idle));
  const { croft, ...peers } = Object.fromEntries(
    Object.entries(rounds).map(([name, some]) => [name, figuresOf(some)]),
  );
  return {
    bench: "queue",
    croft,
    peers,
    drain_vs_bullmq: ratio(rounds, "drainPerS50", "bullmq"),
    drain_vs_bullmq_fsync: ratio(rounds, "drainPerS50", "bullmq_fsync"),
    drain_vs_graphile: ratio(rounds, "drainPerS50", "graphile"),
    claim_p50_ms: {
      "1000": round(claims.few),
      "50000": round(claims.behindFullLane50k),
      "1000000": round(Math.max(claims.behindFullLane1m, claims.inOpenLane1m)),
      lanes_20000: round(claims.lanesOfFullOwner),
      old_snapshot: round(claims.oldSnapshot),
    },
    idle_rss_mb: round(idle.rssMb),
  };
}

function printContenders(contenders: readonly Contender[], rounds: Rounds): void {
  process.stdout.write("\n");
  printTable(
    [
      "",
      "enqueue ×10",
      "drain, 10 slots",
      "drain, 50 slots",
      "Croft's : its",
      "start p50",
      "p99",
      "",
    ],
    contenders.map(({ name, title, note }) => {
      const figures = figuresOf(rounds[name]);
      return [
        title,
        `${figures.enqueue_per_s} /s`,
        `${figures.drain_per_s_10} /s`,
        `${figures.drain_per_s} /s`,
        `${ratio(rounds, "drainPerS10", name).toFixed(2)} ${ratio(rounds, "drainPerS50", name).toFixed(2)}`,
        `${figures.latency_p50_ms.toFixed(2)} ms`,
        `${figures.latency_p99_ms.toFixed(1)} ms`,
        note,
      ];
    }),
  );
}

function printClaims(claims: ClaimTimes): void {
  process.stdout.write("\n");
  printTable(
    ["claim for one slot", "p50"],
    [
      ["1,000 queued in 50 lanes", ms(claims.few)],
      ["and 50,000 behind one full lane", ms(claims.behindFullLane50k)],
      ["and 1,000,000 behind one full lane", ms(claims.behindFullLane1m)],
      ["from the lane of 1,000,000, which has room", ms(claims.inOpenLane1m)],
      ["and 20,000 lanes of one full owner", ms(claims.lanesOfFullOwner)],
      [
        `with an old snapshot, after ${claims.oldSnapshotJobs.toLocaleString("en")} jobs`,
        ms(claims.oldSnapshot),
      ],
    ],
  );
}

function targetsOf(rounds: Rounds, claims: ClaimTimes, idle: Idle): Target[] {
  const croft = figuresOf(rounds.croft);
  const most = (name: string, measured: number, most: number, unit: string) => {
    return { name, measured, most, unit };
  };
  const least = (name: string, measured: number, least: number, unit: string) => {
    return { name, measured, least, unit };
  };
  const vs = (key: RateKey, peer: ContenderName) => ratio(rounds, key, peer);
  return [
    least("drain, 10 slots", croft.drain_per_s_10, 3500, "/s"),
    least("drain, 50 slots", croft.drain_per_s, 6000, "/s"),
    least("drain : stock graphile-worker's, 10 slots", vs("drainPerS10", "graphile"), 1.8, "×"),
    least("drain : stock graphile-worker's, 50 slots", vs("drainPerS50", "graphile"), 1.8, "×"),
    least("drain : BullMQ's with fsync, 10 slots", vs("drainPerS10", "bullmq_fsync"), 0.35, "×"),
    least("drain : BullMQ's with fsync, 50 slots", vs("drainPerS50", "bullmq_fsync"), 0.7, "×"),
    least("enqueue ×10 : graphile-worker's", vs("enqueuePerS", "graphile"), 1, "×"),
    most("enqueue → start, p50", croft.latency_p50_ms, 3, "ms"),
    most("enqueue → start, p99", croft.latency_p99_ms, 25, "ms"),
    most("claim, 50,000 behind a full lane", claims.behindFullLane50k, 1, "ms"),
    most("claim, 1,000,000 behind it : 1,000", claims.behindFullLane1m / claims.few, 1.5, "×"),
    most("claim, 1,000,000 in an open lane : 1,000", claims.inOpenLane1m / claims.few, 1.5, "×"),
    most(
      "claim, 20,000 lanes of a full owner : 1,000",
      claims.lanesOfFullOwner / claims.few,
      2,
      "×",
    ),
    most("claim with a 60 s old snapshot", claims.oldSnapshot, 10, "ms"),
    most("idle server, RSS", idle.rssMb, 150, "MB"),
    most("idle server, CPU", idle.cpuPercent, 1, "%"),
  ];
}

function figuresOf(rounds: readonly ContenderRound[]) {
  const latencies = rounds.flatMap(({ latenciesMs }) => latenciesMs);
  return {
    enqueue_per_s: Math.round(median(rounds.map(({ enqueuePerS }) => enqueuePerS))),
    drain_per_s_10: Math.round(median(rounds.map(({ drainPerS10 }) => drainPerS10))),
    drain_per_s: Math.round(median(rounds.map(({ drainPerS50 }) => drainPerS50))),
    latency_p50_ms: round(percentile(latencies, 50)),
    latency_p99_ms: round(percentile(latencies, 99)),
  };
}

type RateKey = "enqueuePerS" | "drainPerS10" | "drainPerS50";

/** Round by round: both met the same machine then. */
function ratio({ croft, ...peers }: Rounds, key: RateKey, name: ContenderName): number {
  const peer = name === "croft" ? croft : peers[name];
  const ratios = croft.map((own, number) => own[key] / (peer[number]?.[key] ?? Number.NaN));
  return round(median(ratios));
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
