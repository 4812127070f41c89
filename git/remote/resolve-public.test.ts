// A host is refused when any of its addresses is private, in whatever way it is written.
import { expect, test } from "vitest";
import { AddressError, type Lookup, resolvePublic } from "./resolve-public.ts";

const answering =
  (...addresses: readonly string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

/** What the system's resolver says, without the network: these are all addresses already. */
const refusal = async (host: string, lookup?: Lookup) =>
  await resolvePublic(host, { allowPrivate: [], lookup }).then(
    () => undefined,
    (error: AddressError) => error,
  );

test.each([
  ...["127.0.0.1", "127.1", "127.0.1", "2130706433", "017700000001", "0x7f000001", "0x7f.1"],
  ...["0x7f.0.0.1", "0177.0.0.1", "0177.1", "127.0.0.1.", "127.0.0.1:80", "0", "0.0.0.0", "00"],
  ...["１２７.0.0.1", "127。0。0。1", "①②⑦.1", "%31%32%37.0.0.1", "3232235777", "0xa9fea9fe"],
  ...[
    "[::1]",
    "[::1]:443",
    "::1",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "::ffff:10.0.0.1",
  ],
  ...["[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "fe80::1%eth0"],
  ...["[64:ff9b::a00:1]", "[fd00:ec2::254]", "[fec0::1]", "169.254.169.254", "[2002:7f00:1::]"],
  ...["localhost", "LOCALHOST", "localhost.", "ｌocalhost", "x.localhost"],
])("'%s' is refused", async (host) => {
  const lookup = /localhost|ｌ/i.test(host) ? answering("8.8.8.8") : undefined;
  expect(await refusal(host, lookup)).toMatchObject({ code: "private-address" });
});

test.each([
  "",
  " ",
  "a b",
  "user@host",
  "host/path",
  "host?x",
  "-x",
  "a\\b",
  "999.1.1.1",
  "1.2.3.4.5",
])("'%s' is no host", async (host) => {
  expect(await refusal(host, answering("8.8.8.8"))).toMatchObject({ code: "unknown-host" });
});

test("one private address among public ones is enough", async () => {
  const error = await refusal("example.com", answering("8.8.8.8", "10.1.2.3"));
  expect(error).toBeInstanceOf(AddressError);
  expect(error).toMatchObject({
    code: "private-address",
    address: "10.1.2.3",
    host: "example.com",
  });
  expect(error?.message).toBe(
    "'example.com' is at 10.1.2.3, which is not allowed: it is an address of a private network",
  );
  expect(await refusal("example.com", answering())).toMatchObject({ code: "unknown-host" });
});

test("the answer is what to connect to, the name in its one canonical form", async () => {
  const lookup = answering("8.8.8.8", "2606:4700::1");
  const rules = { allowPrivate: [], lookup };
  expect(await resolvePublic("EXAMPLE.com.:8443", rules)).toEqual({
    ...{ hostname: "example.com", port: 8443, address: "8.8.8.8", family: 4 },
    addresses: ["8.8.8.8", "2606:4700::1"],
  });
  expect(await resolvePublic("bücher.example", rules)).toMatchObject({
    hostname: "xn--bcher-kva.example",
    port: undefined,
  });
  expect(await resolvePublic("[2606:4700::1]:443", { allowPrivate: [] })).toMatchObject({
    ...{ hostname: "2606:4700::1", address: "2606:4700::1", family: 6, port: 443 },
  });
});

test("a host is allowed by its exact name, with its port if that is given", async () => {
  const lookup = answering("127.0.0.1");
  const reach = async (host: string, ...allowPrivate: readonly string[]) =>
    await resolvePublic(host, { allowPrivate, lookup }).then(
      ({ address }) => address,
      (error: AddressError) => error.code,
    );
  expect(await reach("git.internal:3000", "git.internal:3000")).toBe("127.0.0.1");
  expect(await reach("git.internal:3000", "GIT.internal.")).toBe("127.0.0.1");
  expect(await reach("localhost:3000", "localhost:3000")).toBe("127.0.0.1");
  expect(await reach("git.internal:3001", "git.internal:3000")).toBe("private-address");
  expect(await reach("git.internal", "git.internal:3000")).toBe("private-address");
  expect(await reach("x.git.internal:3000", "git.internal:3000")).toBe("private-address");
  expect(await reach("git.internal.evil.com", "git.internal")).toBe("private-address");
  const loopback = await resolvePublic("[::1]:80", { allowPrivate: ["[::1]:80"] });
  expect(loopback).toMatchObject({ address: "::1", family: 6 });
  expect(await reach("0x7f.1:80", "127.0.0.1:80")).toBe("127.0.0.1");
});

test("a resolver that fails or is not waited for is told as such", async () => {
  const failing: Lookup = async () => {
    throw new Error("EAI_AGAIN");
  };
  expect(await refusal("example.com", failing)).toMatchObject({
    code: "unknown-host",
    message: "host 'example.com' has no address: EAI_AGAIN",
  });
  const ending = new AbortController();
  const waiting = resolvePublic("example.com", {
    allowPrivate: [],
    lookup: () => new Promise(() => {}),
    signal: ending.signal,
  });
  ending.abort(new Error("no more"));
  await expect(waiting).rejects.toThrow("no more");
});
