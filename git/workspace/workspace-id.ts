// A workspace's name: readable, and never given twice.
import { randomBytes } from "node:crypto";

const NAME_MAX = 40;
const PATTERN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?-[0-9a-f]{8}$/;

export function drawWorkspaceId(name: string): string {
  return `${slugOf(name)}-${randomBytes(4).toString("hex")}`;
}

export function isWorkspaceId(text: string): boolean {
  return PATTERN.test(text);
}

function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, NAME_MAX)
    .replaceAll(/^-+|-+$/g, "");
  return slug === "" ? "workspace" : slug;
}
