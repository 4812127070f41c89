// All tests run here: unit tests beside their source, whole-system tests in test/.
import { defineConfig } from "vitest/config";
import { SlowestFirst } from "./test/support/slowest-first.ts";

export default defineConfig({
  test: {
    include: [
      "{contract,git,pipeline,receiver,engine,server,cli,web,scripts,test}/**/*.test.{ts,tsx}",
    ],
    globalSetup: ["test/support/test-run.ts"],
    setupFiles: ["test/support/show-servers.ts"],
    pool: "forks",
    maxWorkers: 3, // tests that start processes wait for them a third of their time
    // A process loads the product once, not once a file: no test may leave anything behind in its modules.
    isolate: false,
    sequence: { sequencer: SlowestFirst },
    testTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } }, // a ceiling, as for everything that is waited for in a browser
    hookTimeout: 60_000,
    // A test that hangs on an open handle must be seen, not waited for.
    teardownTimeout: 10_000,
  },
});
