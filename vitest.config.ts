// All tests run here: unit tests beside their source, whole-system tests in test/.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{contract,git,pipeline,engine,server,cli,web,scripts,test}/**/*.test.{ts,tsx}"],
    globalSetup: ["test/support/test-run.ts"],
    pool: "forks",
    maxWorkers: 3, // tests that start processes wait for them a third of their time
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A test that hangs on an open handle must be seen, not waited for.
    teardownTimeout: 10_000,
  },
});
