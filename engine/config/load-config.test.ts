// The configuration is read once: flags beat the environment, which beats the file, which beats the defaults.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { type ConfigSources, loadConfig } from "./load-config.ts";

const nothingSaid: ConfigSources = {
  flags: {},
  env: {},
  directory: "/nowhere",
  uid: 1000,
  home: "/home/croft",
};

const load = (sources: Partial<ConfigSources> = {}) => loadConfig({ ...nothingSaid, ...sources });

const loadEnv = (env: Record<string, string>) => load({ env });

async function loadFile(text: string, sources: Partial<ConfigSources> = {}) {
  const directory = await scratchDirectory();
  await writeFile(join(directory, "croft.config.ts"), text);
  return await load({ directory, ...sources });
}

test("with nothing said every setting has its default", async () => {
  const { config, given } = await load();
  expect(config).toMatchObject({
    data: "/home/croft/.local/share/croft",
    http: { host: "127.0.0.1", port: 4747, trustProxy: false },
    session: { idle: 604_800_000, lifetime: 2_592_000_000 },
    log: { level: "info", format: "auto" },
  });
  expect(config.database.url).toBeUndefined();
  expect(given.size).toBe(0);
});

test("flags beat the environment, the environment beats the file, the file beats the default", async () => {
  const { config, given } = await loadFile(
    'export default { http: { port: 1, host: "from-file", bodyLimit: 2048 }, log: { level: "warn" } };',
    { env: { CROFT_HTTP_PORT: "2", CROFT_HTTP_HOST: "from-env" }, flags: { "http.port": "3" } },
  );
  expect(config.http).toMatchObject({ port: 3, host: "from-env", bodyLimit: 2048 });
  expect(config.log).toEqual({ level: "warn", format: "auto" });
  expect(given.get("http.port")).toEqual({ value: "3", origin: "--http-port" });
  expect(given.get("http.host")?.origin).toBe("CROFT_HTTP_HOST");
  expect(given.get("http.bodyLimit")?.origin).toMatch(/croft\.config\.ts$/);
});

test("the result cannot be changed, at any depth", async () => {
  const { config } = await load();
  expect(Object.isFrozen(config)).toBe(true);
  for (const group of Object.values(config)) expect(Object.isFrozen(group)).toBe(true);
});

test.each([
  ["root", { uid: 0 }, "/var/lib/croft"],
  ["a user", {}, "/home/croft/.local/share/croft"],
  ["a user with XDG_DATA_HOME", { env: { XDG_DATA_HOME: "/xdg" } }, "/xdg/croft"],
  [
    "a user whose XDG_DATA_HOME is relative, which its standard forbids",
    { env: { XDG_DATA_HOME: "xdg" } },
    "/home/croft/.local/share/croft",
  ],
  ["a relative path, from the working directory", { flags: { data: "../d" } }, "/d"],
])("the data directory of %s", async (_whose, sources, expected) => {
  expect((await load(sources)).config.data).toBe(expected);
});

test.each([
  ["CROFT_HTTP_PROT", "did you mean 'CROFT_HTTP_PORT'?"],
  ["CROFT_METRICS_TOKEN_FIL", "did you mean 'CROFT_METRICS_TOKEN_FILE'?"],
  ["CROFT_CONFG", "did you mean 'CROFT_CONFIG'?"],
  ["CROFT_SOMETHING_QUITE_ELSE", "'croft config' lists all"],
])("variable %s is refused", async (name, hint) => {
  await expect(loadEnv({ [name]: "1" })).rejects.toMatchObject({
    code: "config-invalid",
    message: `invalid configuration: unknown setting '${name}' in environment; ${hint}`,
  });
});

test("variables of other programs are none of our business, and an empty one says nothing", async () => {
  const { config } = await loadEnv({ PATH: "/bin", XCROFT_X: "1", CROFT_HTTP_PORT: "" });
  expect(config.http.port).toBe(4747);
});

test.each([
  ["{ http: { prot: 1 } }", "unknown setting 'http.prot' in FILE; did you mean 'http.port'?"],
  [
    "{ session: { idel: '7d' } }",
    "unknown setting 'session.idel' in FILE; did you mean 'session.idle'?",
  ],
  ["{ zebra: { port: 1 } }", "unknown setting 'zebra' in FILE; 'croft config' lists all"],
  ["{ http: 5 }", "http must be an object (FILE)"],
  ["{ http: [1] }", "http must be an object (FILE)"],
  ["null", "the default export must be an object (FILE)"],
  ["() => ({ http: { port: 1 } })", "the default export must be an object (FILE)"],
])("a file that says %s is refused", async (value, failure) => {
  const directory = await scratchDirectory();
  const file = join(directory, "croft.config.ts");
  await writeFile(file, `export default ${value};`);
  await expect(load({ directory })).rejects.toMatchObject({
    code: "config-invalid",
    message: `invalid configuration: ${failure.replace("FILE", file)}`,
  });
});

test("a promise as default export is not taken for an empty configuration", async () => {
  const loading = loadFile("export default Promise.resolve({ http: { port: 1 } });");
  const port = await loading.then(
    ({ config }) => config.http.port,
    (error: { code?: string }) => error.code,
  );
  expect([1, "config-invalid"]).toContain(port); // awaited or refused
});

test("what a file leaves undefined is not said", async () => {
  const { config } = await loadFile(
    "export default { http: { port: undefined }, log: undefined };",
  );
  expect(config.http.port).toBe(4747);
});

test.each([
  ["http.port", "65536", "--http-port"],
  ["http.port", "-1", "--http-port"],
  ["http.port", "80x", "--http-port"],
  ["http.port", "99999999999999999999", "--http-port"],
  ["database.poolSize", "1", "--database-pool-size"],
  ["log.level", "loud", "--log-level"],
  ["http.trustProxy", "yes", "--http-trust-proxy"],
  ["session.idle", "7 days", "--session-idle"],
  ["http.publicUrl", "ftp://croft.example.com", "--http-public-url"],
  ["http.publicUrl", "https://croft.example.com/path", "--http-public-url"],
  ["http.publicUrl", "no url", "--http-public-url"],
  ["http.publicUrl", "https://", "--http-public-url"],
])("%s = '%s' is refused and names %s", async (path, value, flag) => {
  const loading = load({ flags: { [path]: value } });
  await expect(loading).rejects.toMatchObject({ code: "config-invalid" });
  await expect(loading).rejects.toThrow(`${path} `);
  await expect(loading).rejects.toThrow(`(from ${flag})`);
});

test("all wrong values are told at once", async () => {
  const loading = loadEnv({ CROFT_HTTP_PORT: "x", CROFT_LOG_LEVEL: "loud" });
  await expect(loading).rejects.toThrow(
    /http\.port .*CROFT_HTTP_PORT.*; log\.level .*CROFT_LOG_LEVEL/,
  );
});

test("text and values are both accepted, as each source gives them", async () => {
  const fromText = await loadEnv({ CROFT_HTTP_TRUST_PROXY: "true", CROFT_HTTP_PORT: "0" });
  expect(fromText.config.http).toMatchObject({ trustProxy: true, port: 0 });
  const fromFile = await loadFile("export default { http: { trustProxy: true, port: 0 } };");
  expect(fromFile.config.http).toMatchObject({ trustProxy: true, port: 0 });
});

test.each([
  ["DATABASE_URL", "mysql://croft:hunter2@db/croft"],
  ["CROFT_DATABASE_URL", "hunter2"],
  ["CROFT_METRICS_TOKEN", "hunter2"],
])("a wrong %s is refused without its value", async (name, value) => {
  const error: Error = await loadEnv({ [name]: value }).then(
    () => Promise.reject(new Error("it was accepted")),
    (reason: Error) => reason,
  );
  expect(error).toMatchObject({ code: "config-invalid" });
  expect(error.message).toContain(`(from ${name})`);
  expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain("hunter2");
});

test("DATABASE_URL names the database, CROFT_DATABASE_URL before it", async () => {
  const other = { DATABASE_URL: "postgres://other/db" };
  expect((await loadEnv(other)).config.database.url).toBe("postgres://other/db");
  const { config, given } = await loadEnv({ ...other, CROFT_DATABASE_URL: "postgresql://own/db" });
  expect(config.database.url).toBe("postgresql://own/db");
  expect(given.get("database.url")?.origin).toBe("CROFT_DATABASE_URL");
});

test("a secret is read from the file that a variable names, without the line's end", async () => {
  const directory = await scratchDirectory();
  const path = join(directory, "token");
  await writeFile(path, "a-token-of-a-scraper\n");
  const { config, given } = await loadEnv({ CROFT_METRICS_TOKEN_FILE: path });
  expect(config.metrics.token).toBe("a-token-of-a-scraper");
  expect(given.get("metrics.token")?.origin).toBe("CROFT_METRICS_TOKEN_FILE");
});

test("an unreadable secret file is told by name and variable", async () => {
  await expect(loadEnv({ CROFT_DATABASE_URL_FILE: "/nowhere/url" })).rejects.toMatchObject({
    code: "config-invalid",
    message: "cannot read '/nowhere/url' named by CROFT_DATABASE_URL_FILE",
  });
});

test("an empty secret file is refused: Croft must not quietly start on another database", async () => {
  const directory = await scratchDirectory();
  await writeFile(join(directory, "url"), "\n");
  const loading = loadEnv({ CROFT_DATABASE_URL_FILE: join(directory, "url") });
  await expect(loading).rejects.toMatchObject({ code: "config-invalid" });
});

test("a setting that is no secret cannot be read from a file", async () => {
  await expect(loadEnv({ CROFT_HTTP_PORT_FILE: "/run/port" })).rejects.toThrow(
    "unknown setting 'CROFT_HTTP_PORT_FILE'",
  );
});

test("the file is the one that is named, by flag before variable, relative to the directory", async () => {
  const directory = await scratchDirectory();
  await writeFile(join(directory, "croft.config.ts"), "export default { http: { port: 1 } };");
  await writeFile(join(directory, "a.ts"), "export default { http: { port: 2 } };");
  await writeFile(join(directory, "b.ts"), "export default { http: { port: 3 } };");
  const env = { CROFT_CONFIG: "a.ts" };
  const portOf = async (sources: Partial<ConfigSources>) =>
    (await load({ directory, ...sources })).config.http.port;
  expect(await portOf({})).toBe(1);
  expect(await portOf({ env })).toBe(2);
  expect(await portOf({ env, file: "b.ts" })).toBe(3);
});

test("a named file that is not there is an error, not a default", async () => {
  await expect(load({ file: "missing.ts" })).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining("cannot load '/nowhere/missing.ts'"),
  });
});

test("a misspelt group is refused with the one that was meant", async () => {
  const loading = loadFile("export default { htp: { port: 1 } };");
  await expect(loading).rejects.toThrow("did you mean 'http'?");
});

test("half of a key for a bucket is refused, without saying the secret", async () => {
  const secret = { CROFT_ASSETS_S3_SECRET_ACCESS_KEY: "very-secret" };
  const failure = await loadEnv(secret).catch((error: Error) => error);
  expect(failure).toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining("assets.s3.secretAccessKey needs assets.s3.accessKeyId"),
  });
  expect(String(failure)).not.toContain("very-secret");
  await expect(loadEnv({ CROFT_ASSETS_S3_ACCESS_KEY_ID: "a" })).rejects.toThrow("needs assets.s3");
  const { config } = await loadEnv({ ...secret, CROFT_ASSETS_S3_ACCESS_KEY_ID: "a" });
  expect(config.assets.s3).toMatchObject({ accessKeyId: "a", region: "us-east-1", presign: false });
});
