// Whether an IP address is one of the public internet, and if not, what it is instead.
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Public numbers that lead to the machine's own cloud. */
const METADATA: readonly string[] = ["168.63.129.16"];

/** Of IPv6 only this has ever been given out; whatever lies beside it is translated, local, or nobody's. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Parts of it that are no places: documentation, and protocols that carry another address in theirs. */
const SPECIAL_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

export function isPublicAddress(address: string): boolean {
  return privateReason(address) === undefined;
}

/** Undefined for a public one. An address that wraps another is judged by what it means. */
export function privateReason(address: string): string | undefined {
  if (address.includes("%")) return "it has a zone, which only addresses of this network have";
  if (!ipaddr.isValid(address)) return "it is no address";
  const meant: Address = ipaddr.process(withoutDots(address));
  if (METADATA.includes(meant.toString())) return "it is the metadata service of a cloud";
  const range = meant.range();
  if (range !== "unicast") return `it is ${WORDS[range] ?? `of the range '${range}'`}`;
  return meant.kind() === "ipv6" ? reasonOfV6(meant as ipaddr.IPv6) : undefined;
}

/** The library takes `::8.8.8.8` for `::ffff:8.8.8.8`, which is another address. */
function withoutDots(address: string): string {
  if (!address.includes(":") || !address.includes(".")) return address;
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function reasonOfV6(address: ipaddr.IPv6): string | undefined {
  if (!address.match(GLOBAL_UNICAST)) return "it is outside of the public range of IPv6";
  return SPECIAL_V6.some((range) => address.match(range))
    ? `it is ${WORDS["reserved"]}`
    : undefined;
}

const WORDS: Readonly<Record<string, string>> = {
  loopback: "this machine itself",
  private: "an address of a private network",
  uniqueLocal: "an address of a private network",
  linkLocal: "an address of the local link, where clouds have their metadata",
  carrierGradeNat: "an address behind a provider's translation",
  unspecified: "no address of anybody",
  broadcast: "the address of all machines",
  multicast: "an address of a group",
  reserved: "reserved for special uses",
};
