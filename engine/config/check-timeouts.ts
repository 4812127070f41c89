// Timeouts form a tree: an inner one must end before the outer one, or the outer kills work that would still end well.
import type { Config } from "./config.ts";

export function checkTimeouts(config: Config): string[] {
  const violations: string[] = [];
  if (config.git.timeout >= config.job.timeout) {
    violations.push(
      `git.timeout (${config.git.timeout} ms) must be shorter than job.timeout (${config.job.timeout} ms)`,
    );
  }
  if (config.shutdown.killGrace >= config.shutdown.drain) {
    violations.push(
      `shutdown.killGrace (${config.shutdown.killGrace} ms) must be shorter than shutdown.drain (${config.shutdown.drain} ms)`,
    );
  }
  if (config.session.idle > config.session.lifetime) {
    violations.push(
      `session.idle (${config.session.idle} ms) must not be longer than session.lifetime (${config.session.lifetime} ms)`,
    );
  }
  return violations;
}
