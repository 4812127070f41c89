// Failed sign-ins are counted for all processes together, before the password is looked at.
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { beginAttempt } from "./sign-in-limit.ts";

async function prepare() {
  const { database } = await scratchEngine();
  const attempt = (address: string, email = "ada@example.com") =>
    beginAttempt(database, { address, email });
  return {
    database,
    attempt,
    /** How many of the attempts were let through. */
    allowed: async (addresses: readonly string[], email?: string) => {
      let count = 0;
      for (const address of addresses) {
        await attempt(address, email).then(
          () => count++,
          () => {},
        );
      }
      return count;
    },
    failuresOf: async (bucket: string) => {
      const { rows } = await database.pool.query<{ failures: number }>(
        "select failures from croft.sign_in_limit where bucket = $1",
        [bucket],
      );
      return rows[0]?.failures;
    },
    /** Moves the clock of the only connection there is; every later statement sees it. */
    at: async (offset: string) => {
      await database.pool.query("select set_config('croft.clock_offset', $1, false)", [offset]);
      expect(database.pool.totalCount).toBe(1);
    },
  };
}

const times = (count: number, address: string) => Array.from({ length: count }, () => address);

test("the 11th attempt from an address is refused, whatever the e-mail, with the time to wait", async () => {
  const { attempt } = await prepare();
  for (let n = 0; n < 10; n++) await attempt("192.0.2.1", `${n}@example.com`);
  const refusal = await attempt("192.0.2.1", "other@example.com").catch((error) => error);
  expect(refusal).toMatchObject({
    code: "too-many-attempts",
    message: "too many failed sign-ins; try again in 15 min",
  });
  expect(refusal.details.retryAfterSeconds).toBeGreaterThan(0);
  expect(refusal.details.retryAfterSeconds).toBeLessThanOrEqual(900);
  await attempt("192.0.2.2"); // another address is not concerned
});

test("an e-mail tried from many addresses is refused after 50", async () => {
  const { allowed } = await prepare();
  const addresses = Array.from({ length: 60 }, (_, n) => `192.0.2.${n}`);
  expect(await allowed(addresses)).toBe(50);
  expect(await allowed(["198.51.100.1"], "grace@example.com")).toBe(1);
});

test("30 parallel attempts are 30, not one", async () => {
  const { attempt, failuresOf } = await prepare();
  const attempts = await Promise.allSettled(times(30, "192.0.2.1").map((from) => attempt(from)));
  expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
  expect(await failuresOf("address:192.0.2.1")).toBe(30);
});

test("a forgiven attempt does not count, also when many are forgiven at the same moment", async () => {
  const { attempt, failuresOf, allowed } = await prepare();
  for (let n = 0; n < 30; n++) await (await attempt("192.0.2.1")).forgive();
  const parallel = await Promise.all(times(10, "192.0.2.1").map((from) => attempt(from)));
  await Promise.all(parallel.map(({ forgive }) => forgive()));
  expect(await failuresOf("address:192.0.2.1")).toBe(0);
  expect(await allowed(times(20, "192.0.2.1"))).toBe(10);
});

test("a success does not wipe out the failures of others at the same address", async () => {
  const { attempt, failuresOf } = await prepare();
  for (let n = 0; n < 5; n++) await attempt("192.0.2.1", "grace@example.com");
  await (await attempt("192.0.2.1")).forgive();
  expect(await failuresOf("address:192.0.2.1")).toBe(5);
});

test("the window's end frees, and further attempts do not push it away", async () => {
  const { allowed, failuresOf, at } = await prepare();
  expect(await allowed(times(12, "192.0.2.1"))).toBe(10);
  await at("14 minutes");
  expect(await allowed(times(3, "192.0.2.1"))).toBe(0);
  await at("15 minutes 1 second");
  expect(await allowed(times(12, "192.0.2.1"))).toBe(10);
  expect(await failuresOf("address:192.0.2.1")).toBe(12);
});

test("windows that are over are removed, so that the table does not grow", async () => {
  const { allowed, database, at } = await prepare();
  await allowed(Array.from({ length: 20 }, (_, n) => `192.0.2.${n}`));
  await at("16 minutes");
  await allowed(["198.51.100.1"]);
  const { rowCount } = await database.pool.query("select from croft.sign_in_limit");
  expect(rowCount).toBe(2);
});

test("no e-mail is kept in the clear", async () => {
  const { attempt, database } = await prepare();
  await attempt("192.0.2.1", "ada@example.com");
  const { rows } = await database.pool.query("select * from croft.sign_in_limit");
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toMatch(/ada|example/);
});

test("a home has a whole /64 of IPv6: its addresses are one place, however Node spells them", async () => {
  const { attempt, database } = await prepare();
  const pairs = [
    ["2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"],
    ["2001:db8:1::1", "2001:db8:1:0:9::1"],
    ["2001:db8::1", "2001:db8::2"],
    ["2001:db8::1", "2001:db8::5:6:7:8"],
    ["2a00::a:b:c:d", "2a00::1:2:3:4"],
  ];
  const countedAs = new Map<string, number | null>();
  for (const pair of pairs) {
    for (const address of pair) await attempt(address);
    const { rowCount } = await database.pool.query(
      "delete from croft.sign_in_limit where bucket like 'address:%'",
    );
    countedAs.set(pair.join(" and "), rowCount);
  }
  expect(countedAs).toEqual(new Map(pairs.map((pair) => [pair.join(" and "), 1])));
});

test.each([
  ["2001:db8:1:2::1", "2001:db8:1:3::1"],
  ["2001:db8::1", "2001:db8:0:1::1"],
  ["::ffff:192.0.2.1", "::ffff:192.0.2.2"],
])("%s and %s are two places", async (left, right) => {
  const { attempt, database } = await prepare();
  await attempt(left);
  await attempt(right);
  const { rowCount } = await database.pool.query(
    "select from croft.sign_in_limit where bucket like 'address:%'",
  );
  expect(rowCount).toBe(2);
});
