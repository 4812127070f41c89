// Every setting of Croft in one schema: its default, its meaning, and whether it is a secret.
import { z } from "zod";
import { assetSettings } from "./asset-settings.ts";
import { duration, durations } from "./duration.ts";
import { githubSettings } from "./github-settings.ts";
import { handlerSettings } from "./handler-settings.ts";
import {
  absolutePath,
  hostList,
  postgresUrl,
  secret,
  webUrl,
  wholeNumber,
  yesOrNo,
} from "./setting-values.ts";

export const Config = z.strictObject({
  data: z.string().min(1).optional().meta({
    description: "Data directory: database, mirrors, workspaces, assets",
    defaultText: "`~/.local/share/croft`; as root `/var/lib/croft`",
  }),
  database: z
    .strictObject({
      url: postgresUrl.optional().meta({
        description:
          "PostgreSQL server to use instead of the embedded one; also read from `DATABASE_URL`",
        ...secret,
      }),
      poolSize: wholeNumber(2, 200).prefault(10).meta({
        description: "Connections that one process opens at the most",
      }),
    })
    .prefault({}),
  disk: z
    .strictObject({
      reserveBytes: wholeNumber(0, 1024 ** 5)
        .optional()
        .meta({
          description:
            "What is kept free on each disk, in bytes, for the database above all: files and workspaces are refused before it",
          defaultText: "5 % of the disk, at least 32 MiB and at most 1 GiB",
        }),
    })
    .prefault({}),
  http: z
    .strictObject({
      host: z.string().min(1).prefault("127.0.0.1").meta({
        description: "Address to listen on",
      }),
      port: wholeNumber(0, 65_535).prefault(4747).meta({
        description: "Port to listen on; 0 takes a free one",
      }),
      publicUrl: webUrl.optional().meta({
        description: "Where people reach Croft, if that is not the address it listens on",
        defaultText: "the address it listens on",
      }),
      trustProxy: yesOrNo.prefault(false).meta({
        description:
          "Believe the `X-Forwarded-*` of the one proxy in front, which must set them on every request",
      }),
      bodyLimit: wholeNumber(1024, 100 * 1024 * 1024)
        .prefault(1024 * 1024)
        .meta({ description: "Largest JSON body in bytes" }),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z
        .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])
        .prefault("info")
        .meta({ description: "What is logged: this level and above" }),
      format: z
        .enum(["auto", "json", "pretty"])
        .prefault("auto")
        .meta({ description: "`auto` is pretty on a terminal and JSON elsewhere" }),
    })
    .prefault({}),
  metrics: z
    .strictObject({
      token: z
        .string()
        .min(16)
        .optional()
        .meta({
          description: "Bearer token with which a scraper may read `/metrics`",
          ...secret,
        }),
    })
    .prefault({}),
  session: z
    .strictObject({
      idle: duration("1s", "3650d")
        .prefault("7d")
        .meta({ description: "A session unused this long ends" }),
      lifetime: duration("1s", "3650d")
        .prefault("30d")
        .meta({ description: "A session ends after this long" }),
    })
    .prefault({}),
  setup: z
    .strictObject({
      linkLifetime: duration("1s", "30d").prefault("1h").meta({
        description: "How long the one-time link for the first admin is valid",
      }),
    })
    .prefault({}),
  git: z
    .strictObject({
      timeout: duration("1ms", "7d").prefault("15m").meta({
        description: "Longest git network operation; must be shorter than `job.timeout`",
      }),
      allowHttp: hostList.prefault("").meta({
        description:
          "Hosts, divided by commas and with their port, whose repositories may be fetched without TLS",
        defaultText: "none",
      }),
      caFile: absolutePath.optional().meta({
        description:
          "File with the certificates (PEM) that git trusts: for hosts of a private authority",
        defaultText: "those of the system",
      }),
      knownHosts: absolutePath.optional().meta({
        description:
          "File with the host keys (as OpenSSH's known_hosts) that ssh trusts when it goes with a credential's key",
        defaultText: "those of the whole machine",
      }),
      allowLocal: yesOrNo.prefault(false).meta({
        description:
          "Jobs may name repositories by a path of this machine; those of apps never may",
      }),
    })
    .prefault({}),
  allowPrivate: hostList.prefault("").meta({
    description:
      "Hosts, divided by commas and with their port, that apps and remotes may have although they are private; without TLS, too. For development",
    defaultText: "none",
  }),
  watches: z
    .strictObject({
      poll: duration("1s", "7d").prefault("60s").meta({
        description:
          "How often a watched repository is asked for changes, unless its watch says so",
      }),
    })
    .prefault({}),
  deliveries: z
    .strictObject({
      timeout: duration("10ms", "10m").prefault("20s").meta({
        description: "How long an app may take to answer",
      }),
      retries: durations("1ms", "7d", 20).prefault("5s,5m,30m,2h,5h,10h,14h,20h,24h").meta({
        description:
          "Pauses between the tries of a delivery, divided by commas; after the last try it has failed",
      }),
      files: wholeNumber(1, 1000).prefault(100).meta({
        description: "Files in one delivery at the most",
      }),
    })
    .prefault({}),
  job: z
    .strictObject({
      timeout: duration("1ms", "20d")
        .prefault("60m")
        .meta({ description: "Longest run of one job attempt" }),
      maxLost: wholeNumber(1, 1000).prefault(20).meta({
        description: "How often a job may lose its worker before it fails",
      }),
      sandbox: z.enum(["auto", "on", "off"]).prefault("auto").meta({
        description:
          "`auto`: commands run in a sandbox where the machine has one; `on`: nowhere else; `off`: only if a step asks for it",
      }),
      logLimit: wholeNumber(1024, 1024 ** 3)
        .prefault(16 * 1024 * 1024)
        .meta({
          description:
            "Bytes of log that one attempt may write; of a longer one the beginning and the end are kept",
        }),
    })
    .prefault({}),
  handler: handlerSettings,
  worker: z
    .strictObject({
      slots: wholeNumber(1, 1000).optional().meta({
        description: "Jobs that one worker process runs at a time",
        defaultText: "twice the number of cores, at least 4",
      }),
    })
    .prefault({}),
  concurrency: z
    .strictObject({
      global: wholeNumber(1, 1_000_000).optional().meta({
        description: "Jobs that run at a time on all workers together",
        defaultText: "as many as there are slots",
      }),
      perOwner: wholeNumber(1, 1_000_000).prefault(10).meta({
        description: "Jobs of one owner that run at a time",
      }),
      perLane: wholeNumber(1, 1_000_000).prefault(1).meta({
        description: "Jobs of one key that run at a time, unless its lane has a limit of its own",
      }),
    })
    .prefault({}),
  retention: z
    .strictObject({
      jobs: duration("1h", "3650d").prefault("90d").meta({
        description:
          "How long jobs, runs and what GitHub sent are kept after their end; the latter at least 7 days",
      }),
      events: duration("1h", "3650d").prefault("30d").meta({
        description: "How long events and logs are kept",
      }),
      deliveries: duration("1h", "3650d").prefault("30d").meta({
        description: "How long deliveries are kept after they were accepted, given up or set aside",
      }),
      artifacts: duration("1h", "3650d").prefault("30d").meta({
        description: "How long artifacts of runs are kept",
      }),
      uploads: duration("1h", "3650d").prefault("90d").meta({
        description: "How long uploaded files are kept",
      }),
      generated: duration("1h", "3650d").prefault("90d").meta({
        description: "How long files that jobs made are kept",
      }),
      results: duration("1h", "3650d").prefault("7d").meta({
        description:
          "How long the commits of a run's steps are kept after its end; until then it can be retried",
      }),
    })
    .prefault({}),
  secrets: z
    .strictObject({
      keyFile: absolutePath.optional().meta({
        description:
          "File with the keys that secrets and credentials are encrypted with; all hosts need the same",
        defaultText: "one in the data directory, made when it is needed",
      }),
    })
    .prefault({}),
  assets: assetSettings,
  github: githubSettings,
  stream: z
    .strictObject({
      perApp: wholeNumber(1, 10_000).prefault(20).meta({
        description: "Event streams that one app, or the local command, may have open",
      }),
      perSession: wholeNumber(1, 10_000).prefault(50).meta({
        description: "Event streams that one browser session may have open",
      }),
      total: wholeNumber(1, 100_000).prefault(2000).meta({
        description: "Event streams that one server process serves",
      }),
      heartbeat: duration("100ms", "30s").prefault("15s").meta({
        description: "How often an event stream says that it lives, however little happens",
      }),
    })
    .prefault({}),
  limits: z
    .strictObject({
      appRequestsPerMinute: wholeNumber(1, 10_000_000).prefault(1200).meta({
        description: "Requests that one app may make of one server process in a minute",
      }),
    })
    .prefault({}),
  server: z
    .strictObject({
      idle: duration("100ms", "365d").prefault("10m").meta({
        description: "A server that `croft run` started ends after this long without work",
      }),
    })
    .prefault({}),
  shutdown: z
    .strictObject({
      killGrace: duration("0s", "1h").prefault("5s").meta({
        description:
          "Time between SIGTERM and SIGKILL of a process; must be shorter than `shutdown.drain`",
      }),
      drain: duration("1ms", "1d").prefault("30s").meta({
        description: "How long work in progress may go on after SIGTERM",
      }),
    })
    .prefault({}),
});

/** What croft.config.ts may say, besides the handlers. */
export type Settings = z.input<typeof Config>;

/** What the program uses: all defaults filled in, durations in milliseconds, `data` an absolute path. */
export type Config = z.output<typeof Config> & { readonly data: string };
