// The house rules that a machine can check.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { problemCodes } from "@croft/contract";
import { startCodes } from "@croft/engine";
import { describe, expect, test } from "vitest";
import { configurationTable } from "../scripts/configuration-table.ts";
import { pipelineSchema } from "../scripts/pipeline-schema.ts";
import { projectRoot } from "../scripts/source-files.ts";
import { importCycles, readSourceTree } from "./support/source-tree.ts";

const PRODUCT = ["contract", "git", "pipeline", "receiver", "engine", "server", "cli", "web"];
const files = readSourceTree([...PRODUCT, "examples", "test", "scripts", "bench"]);
const product = files.filter(({ home, path }) => PRODUCT.includes(home) && !isTest(path));

/** Who may import whom; `cli` imports server and engine only to start them. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  git: [],
  pipeline: [],
  receiver: [],
  engine: ["git", "pipeline", "contract"],
  server: ["engine", "pipeline", "contract"],
  cli: ["server", "engine", "pipeline", "contract"],
  web: ["contract"],
};

function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path);
}

function read(path: string): string {
  return readFileSync(join(projectRoot, path), "utf8");
}

describe("structure", () => {
  test("imports go one way, and from one package to another only through its index", () => {
    const wrong = product.flatMap(({ path, home, imports }) =>
      imports.flatMap(({ target, specifier }) => {
        if (target === undefined) return [];
        const [targetHome = ""] = target.split("/", 1);
        if (targetHome === home) return [];
        const allowed =
          MAY_IMPORT[home]?.includes(targetHome) && specifier === `@croft/${targetHome}`;
        return allowed ? [] : [`${path} imports ${specifier}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test("no file imports itself in a circle", () => {
    expect(importCycles(files)).toEqual([]);
  });

  test("a file has at most 300 lines (a test 400), a function at most 70", () => {
    const long = files.flatMap(({ path, lines, longestFunction }) => [
      ...(lines > (isTest(path) ? 400 : 300) ? [`${path}: ${lines} lines`] : []),
      ...(longestFunction.lines > 70 && !isTest(path)
        ? [`${path}: ${longestFunction.name} has ${longestFunction.lines} lines`]
        : []),
    ]);
    expect(long).toEqual([]);
  });

  test("no drawers: every file is named after its concept", () => {
    const drawer = /^(utils?|helpers?|common|shared|misc|lib|types|interfaces|constants)(\.|$)/;
    const named = files.filter(({ path }) => path.split("/").some((part) => drawer.test(part)));
    expect(named.map(({ path }) => path)).toEqual([]);
  });

  test("one index a package, with explicit names", () => {
    const indexes = files.filter(({ path }) => basename(path) === "index.ts");
    expect(indexes.map(({ path }) => path)).toEqual(indexes.map(({ home }) => `${home}/index.ts`));
    expect(files.filter(({ text }) => /^export \*/m.test(text)).map(({ path }) => path)).toEqual(
      [],
    );
  });

  test("every module opens with a sentence that says what it is for", () => {
    const silent = files.filter(({ text }) => !/^(#!.*\n)?\/\/ \S.*[.!?:]\n/.test(text));
    expect(silent.map(({ path }) => path)).toEqual([]);
  });
});

describe("doors", () => {
  const DOORS: Record<string, { pattern: RegExp; only: readonly string[] }> = {
    "the environment": { pattern: /process\.env/, only: ["cli/read-config.ts"] },
    "child processes": {
      pattern: /^import (?!type).*node:child_process/m,
      only: [
        "cli/spawn-server.ts",
        "engine/database/embedded-postgres.ts",
        "engine/database/initialise-cluster.ts",
        "engine/database/postmaster.ts",
        "git/command/run-git.ts",
        "git/command/run-tool.ts",
        "git/command/tool-shell.ts",
        "engine/handlers/handler-process.ts",
        "engine/worker/lease-thread.ts",
        "engine/renderers/ask-diagram-process.ts",
        "git/sandbox/job-command.ts",
        "git/lock/prove-lock.ts",
      ],
    },
    "the PostgreSQL driver": {
      pattern: /from "pg"/,
      only: [
        "engine/database/database-listener.ts",
        "engine/worker/lease-thread.ts",
        "engine/worker/turn-taker.ts",
        "engine/database/embedded-postgres.ts",
        "engine/database/migrate.ts",
        "engine/database/open-database.ts",
      ],
    },
  };

  test.each(Object.entries(DOORS))(
    "%s is used only where it belongs",
    (_name, { pattern, only }) => {
      const users = product.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
      expect(users.filter((path) => !only.includes(path))).toEqual([]);
    },
  );

  test("nothing unfinished, switched off or tied to one machine is left", () => {
    const marks = [
      /\b(TODO|FIXME|XXX|HACK)\b/,
      /@ts-(ignore|expect-error|nocheck)/,
      /biome-ignore [^:]*:\s*$/m, // a rule may be switched off for a line, with a reason
      /\.(only|skip)\(/,
      /["'`]\/(root|work|Users)\//,
    ];
    const marked = files
      .filter(({ path }) => path !== "test/tidy.test.ts")
      .flatMap(({ path, text }) =>
        marks.filter((mark) => mark.test(text)).map((mark) => `${path}: ${mark}`),
      );
    expect(marked).toEqual([]);
  });
});

describe("words", () => {
  test("every error code is documented, and no other", () => {
    const documented = [...read("docs/errors.md").matchAll(/^\| `([a-z-]+)` \|/gm)].map(
      ([, code]) => code,
    );
    expect(documented.sort()).toEqual(
      [...Object.keys(problemCodes), ...Object.keys(startCodes)].sort(),
    );
  });

  test("the JSON Schema of pipelines is current (npm run generate)", () => {
    expect(read("docs/pipeline.schema.json")).toBe(pipelineSchema());
  });

  test("the table of settings is current (npm run generate)", () => {
    expect(read("docs/configuration.md")).toContain(configurationTable());
  });

  test("the commands in README and docs exist", () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(read("package.json"));
    const commands = readdirSync(join(projectRoot, "cli/commands")).map((name) =>
      basename(name, ".ts"),
    );
    const unknown = ["README.md", "CONTRIBUTING.md", "docs/running.md"].flatMap((path) => [
      ...[...read(path).matchAll(/(?:^|&& |`)npm (?:run )?([a-z][\w:-]*)/gm)]
        .map(([, script = ""]) => script)
        .filter((script) => script !== "ci" && script !== "install" && !(script in scripts))
        .map((script) => `${path}: npm ${script}`),
      ...[...read(path).matchAll(/`croft ([a-z]+)/g)]
        .map(([, command = ""]) => command)
        .filter((command) => !commands.includes(command))
        .map((command) => `${path}: croft ${command}`),
    ]);
    expect(unknown).toEqual([]);
  });

  test("README has at most 150 lines, ARCHITECTURE.md at most 300, and their links lead somewhere", () => {
    expect(read("README.md").split("\n").length).toBeLessThanOrEqual(150);
    expect(read("ARCHITECTURE.md").split("\n").length).toBeLessThanOrEqual(300);
    const broken = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !existsSync(join(projectRoot, target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test("every runtime dependency has its reason in docs/dependencies.md", () => {
    const reasons = read("docs/dependencies.md");
    const missing = PRODUCT.flatMap((folder) => {
      const manifest = JSON.parse(read(`${folder}/package.json`));
      const { dependencies = {}, optionalDependencies = {}, devDependencies = {} } = manifest;
      const shipped = folder === "web" ? devDependencies : optionalDependencies;
      return Object.keys({ ...dependencies, ...shipped });
    }).filter((name) => {
      const own = name.startsWith("@croft/") || name.startsWith("@types/");
      return !own && !reasons.includes(`\`${name.replace(/^(@embedded-postgres)\/.*/, "$1")}`);
    });
    expect(missing).toEqual([]);
  });
});
