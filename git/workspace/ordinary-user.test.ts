// An ordinary user has no overlays, but workspaces that are just as good.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, readdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { ORDINARY_UID } from "../../test/support/ordinary-user.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { isRoot } from "../../test/support/workspace-scene.ts";

/** The project is bound to a place that everybody can enter, because it may lie in a directory of root's. */
const ENTER = `mount --bind '${projectRoot}' /mnt && cd /mnt && exec "$@"`;

test.runIf(isRoot)(
  "clones in a sandbox, with packs of their own, and nothing is left of them",
  async () => {
    const root = join(await scratchDirectory(), "home");
    await mkdir(root, { mode: 0o700 });
    chownSync(root, ORDINARY_UID, ORDINARY_UID);
    const drop = [
      "setpriv",
      `--reuid=${ORDINARY_UID}`,
      `--regid=${ORDINARY_UID}`,
      "--clear-groups",
    ];
    const program = [
      process.execPath,
      "--import",
      "tsx",
      "test/support/ordinary-workspaces.ts",
      root,
    ];
    const child = spawn("unshare", ["--mount", "sh", "-ec", ENTER, "sh", ...drop, ...program], {
      env: { PATH: process.env["PATH"] ?? "", TSX_DISABLE_CACHE: "1" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    await once(child, "close");
    expect(JSON.parse(text)).toEqual({
      uid: ORDINARY_UID,
      overlay: {
        isPossible: false,
        reason: "this user may not mount",
        advice: expect.stringContaining("run Croft as root"),
      },
      sandbox: { isPossible: true },
      jobUser: null,
      kind: "clone",
      reason: "this user may not mount",
      isSandboxed: true,
      asked: "kind-unavailable",
      links: [1], // copies: it could change the mirror through a link
      rights: "0 CapEff:\t0000000000000000",
      hidden: `0 workspaces\n${ORDINARY_UID}`,
      spoilt: "0",
      status: "0",
      ...{ isPublished: true, isMirrorSame: true, diff: true, kept: true, closed: "0" },
    });
    const data = join(root, "data");
    for (const place of ["workspaces/.parts", "workspaces/.ledger", "staging", "trash"]) {
      expect(readdirSync(join(data, place))).toEqual([]);
    }
  },
);
