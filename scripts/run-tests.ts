// `npm test`: builds the product, checks the code, runs every test in its short form, and sums up in one line.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { findBrowser } from "../test/support/find-browser.ts";
import { projectRoot } from "./source-files.ts";

interface TestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

if (run("tsx", ["scripts/build-product.ts"]) !== 0) finish({ passed: 0, failed: 1, skipped: 0 });
const failedChecks = run("tsx", ["scripts/check-code.ts"]);
try {
  await findBrowser();
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
  finish({ passed: 0, failed: failedChecks + 1, skipped: 0 });
}

const scratch = mkdtempSync(join(tmpdir(), "croft-report-"));
const reportPath = join(scratch, "report.json");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportPath}`];
const status = run("vitest", ["run", ...reporters, ...process.argv.slice(2)]);
const results = readResults();
rmSync(scratch, { recursive: true });

const named = (wanted: string) => results.filter(({ status: found }) => found === wanted);
const skipped = results.filter(({ status: found }) => found !== "passed" && found !== "failed");
for (const { fullName } of skipped) console.log(`skipped: ${fullName}`);
if (skipped.length > 0 && process.getuid?.() !== 0) {
  console.log("what needs root was skipped: run npm test as root to see it too");
}
const failedTests = named("failed").length;
finish({
  passed: named("passed").length,
  // A run that broke outside any test, e.g. by leaving a process behind, counts as one more.
  failed: failedChecks + (failedTests === 0 && status !== 0 ? 1 : failedTests),
  skipped: skipped.length,
});

function run(program: string, args: readonly string[]): number {
  const { status } = spawnSync("npx", ["--no-install", program, ...args], {
    cwd: projectRoot,
    stdio: "inherit",
  });
  return status ?? 1;
}

/** Where the time goes: the whole must stay below twenty minutes. */
function tellSlowest({ testResults }: TestReport): void {
  const seconds = testResults
    .map(({ name, startTime, endTime }) => ({
      name,
      took: Math.round((endTime - startTime) / 1000),
    }))
    .sort((one, other) => other.took - one.took);
  for (const { name, took } of seconds.slice(0, 25)) {
    console.log(`${String(took).padStart(4)} s  ${relative(projectRoot, name)}`);
  }
  const sum = seconds.reduce((total, { took }) => total + took, 0);
  console.log(`${String(sum).padStart(4)} s  all ${seconds.length} files`);
}

function readResults() {
  try {
    const report: TestReport = JSON.parse(readFileSync(reportPath, "utf8"));
    tellSlowest(report);
    return report.testResults.flatMap(({ assertionResults }) => assertionResults);
  } catch (error) {
    console.error(`no test report: ${error instanceof Error ? error.message : error}`);
    return [];
  }
}

function finish({
  passed,
  failed,
  skipped,
}: Record<"passed" | "failed" | "skipped", number>): never {
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exit(failed === 0 && passed > 0 ? 0 : 1);
}
