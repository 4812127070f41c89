// What is known of a version of git: whether Croft can use it, and which security fixes came after it.

export interface GitVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/**
 * Of git 2. Older ones lack what Croft asks for: settings by environment (2.31), nobody else's configuration (2.32),
 * `pack-objects --stdin-packs` (2.32), a reason for a locked worktree (2.33).
 */
const OLDEST_MINOR = 33;
export const OLDEST_GIT = `2.${OLDEST_MINOR}`;

/** Has all the fixes that are known here. */
export const RECOMMENDED_GIT = "2.50.1";

interface Fix {
  readonly faults: readonly string[];
  /** The first release of each line of git 2 that has it, as [minor, patch]; later lines all have it, earlier ones none. */
  readonly releases: readonly (readonly [minor: number, patch: number])[];
}

const FIXES: readonly Fix[] = [
  {
    faults: ["CVE-2025-48384", "CVE-2025-48385"],
    releases: [
      [43, 7],
      [44, 4],
      [45, 4],
      [46, 4],
      [47, 3],
      [48, 2],
      [49, 1],
      [50, 1],
    ],
  },
  {
    faults: ["CVE-2024-50349", "CVE-2024-52006"],
    releases: [
      [40, 4],
      [41, 3],
      [42, 4],
      [43, 6],
      [44, 3],
      [45, 3],
      [46, 3],
      [47, 2],
      [48, 1],
    ],
  },
  {
    faults: [
      "CVE-2024-32002",
      "CVE-2024-32004",
      "CVE-2024-32020",
      "CVE-2024-32021",
      "CVE-2024-32465",
    ],
    releases: [
      [39, 4],
      [40, 2],
      [41, 1],
      [42, 2],
      [43, 4],
      [44, 1],
      [45, 1],
    ],
  },
  {
    faults: ["CVE-2022-39253"],
    releases: [
      [33, 5],
      [34, 5],
      [35, 5],
      [36, 3],
      [37, 4],
      [38, 1],
    ],
  },
];

/** Also of `2.39.5 (Apple Git-154)` and `2.55.0.rc1`; undefined when it is no version. */
export function parseGitVersion(text: string): GitVersion | undefined {
  const [, major, minor, patch = "0"] = /^(\d+)\.(\d+)(?:\.(\d+))?/.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

export function isGitTooOld({ major, minor }: GitVersion): boolean {
  return major < 2 || (major === 2 && minor < OLDEST_MINOR);
}

/** By the number alone: a distributor may have put a fix into an older version without changing it. */
export function missingFixes(version: GitVersion): string[] {
  return FIXES.filter((fix) => !hasFix(version, fix)).flatMap(({ faults }) => faults);
}

function hasFix({ major, minor, patch }: GitVersion, { releases }: Fix): boolean {
  const ofItsLine = releases.find(([line]) => line === minor);
  if (major !== 2) return major > 2;
  if (ofItsLine !== undefined) return patch >= ofItsLine[1];
  return releases.every(([line]) => line < minor);
}
