// An authority of a test's own, and what a server on loopback shows for itself by it.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerIdentity } from "./serve-git.ts";

export interface Authority {
  /** What clients trust. */
  readonly caFile: string;
  readonly identity: ServerIdentity;
}

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

export function makeAuthority(directory: string): Authority {
  const file = (name: string) => join(directory, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  const caFile = file("ca.pem");
  openssl(
    ...["req", "-x509", ...KEY, "-days", "2", "-subj", "/CN=A test's authority"],
    ...["-keyout", file("ca.key"), "-out", caFile],
  );
  openssl(
    ...["req", ...KEY, "-subj", "/CN=127.0.0.1"],
    ...["-keyout", file("server.key"), "-out", file("server.csr")],
  );
  writeFileSync(file("server.ext"), "subjectAltName=IP:127.0.0.1\n");
  openssl(
    ...["x509", "-req", "-in", file("server.csr"), "-days", "2", "-extfile", file("server.ext")],
    ...["-CA", caFile, "-CAkey", file("ca.key"), "-CAcreateserial", "-out", file("server.pem")],
  );
  const read = (name: string) => readFileSync(file(name), "utf8");
  return { caFile, identity: { key: read("server.key"), cert: read("server.pem") } };
}
