// Runs the command as an ordinary user when the tests run as root.
import { chownSync, mkdirSync } from "node:fs";
import { projectRoot } from "../../scripts/source-files.ts";
import { croftCommand, type RunOptions } from "./croft-process.ts";

/** `daemon`, who has an entry in every /etc/passwd, as initdb asks; not `nobody`: PostgreSQL runs as that one. */
export const ORDINARY_UID = 1;

/**
 * In a mount namespace of its own the project is bound to a place that everybody can enter, because the checkout may lie
 * in a directory of root's.
 */
export function asOrdinaryUser(data: string): RunOptions {
  if (process.getuid?.() !== 0) return {};
  mkdirSync(data, { mode: 0o700, recursive: true });
  chownSync(data, ORDINARY_UID, ORDINARY_UID);
  const drop = `setpriv --reuid=${ORDINARY_UID} --regid=${ORDINARY_UID} --clear-groups`;
  const script = `mount --bind '${projectRoot}' /mnt && cd / && exec ${drop} "$@"`;
  return {
    wrapper: ["unshare", "--mount", "sh", "-ec", script, "sh"],
    command: croftCommand.replace(projectRoot, "/mnt"),
  };
}
