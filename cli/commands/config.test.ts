// `croft config` shows every setting, to people and to programs, and no secret to anybody.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { settings } from "@croft/engine";
import { expect, test } from "vitest";

test("every setting is printed with value and origin, as JSON and as a table", async () => {
  const url = pathToFileURL(join(import.meta.dirname, "config.ts")).href;
  const script = `import { createCommand } from ${JSON.stringify(url)};
    for (const args of [["--json"], []]) {
      await createCommand().parseAsync(["--data", "/srv/croft", ...args], { from: "user" });
      process.stdout.write("----\\n");
    }`;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", script],
    {
      cwd: join(import.meta.dirname, ".."),
      env: { PATH: process.env["PATH"], NO_COLOR: "1", DATABASE_URL: "postgres://a:hunter2@b/c" },
    },
  );
  const [json = "", table = ""] = stdout.split("----\n");
  const described: { setting: string }[] = JSON.parse(json);
  expect(described.map(({ setting }) => setting)).toEqual(settings.map(({ path }) => path));
  expect(described).toContainEqual({ setting: "data", value: "/srv/croft", origin: "--data" });
  expect(table.trimEnd().split("\n")).toHaveLength(settings.length);
  expect(table).toMatch(/^data\s+\/srv\/croft\s+--data$/m);
  expect(table).toMatch(/^database\.url\s+\*{8}\s+DATABASE_URL$/m);
  expect(table).toMatch(/^metrics\.token\s+-\s+default$/m);
  expect(stdout).not.toContain("hunter2");
  expect(stderr).toBe("");
});
