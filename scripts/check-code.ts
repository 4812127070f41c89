// Type check, lint and format of the whole tree; exits with the number of failed checks.
import { spawnSync } from "node:child_process";
import { projectRoot } from "./source-files.ts";

const checks = [["tsc"], ["tsc", "-p", "web"], ["biome", "ci", "--error-on-warnings", "."]];

const failed = checks.filter((command) => {
  const { status } = spawnSync("npx", ["--no-install", ...command], {
    cwd: projectRoot,
    stdio: "inherit",
  });
  console.log(`${status === 0 ? "passed" : "FAILED"}: ${command.join(" ")}`);
  return status !== 0;
});
process.exit(failed.length);
