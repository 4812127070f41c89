// Which assets can be looked at, and what is said of the others.
import type { Asset } from "@croft/contract";
import { expect, test } from "vitest";
import { previewOf, unseenWords } from "./describe-asset.ts";

function asset(media_type: string, bytes = 1_000): Asset {
  return {
    ...{ id: "01a1e244-5d08-7000-8983-e4b6ddbf7906", owner: "local", kind: "upload", name: "a" },
    ...{ media_type, declared_type: null, bytes, sha256: "00", job_id: null, run_id: null },
    ...{ step: null, item: null, commit: null, source_task_id: null, expires_at: null },
    ...{ created_at: "2026-11-16T00:00:00.000Z", superseded: false },
  };
}

test.each([
  ["image/png", "picture"],
  ["image/svg+xml", "picture"],
  ["IMAGE/PNG", "picture"],
  ["image/tiff", "none"],
  ["text/html; charset=utf-8", "page"],
  ["application/xhtml+xml", "none"],
  ["text/javascript", "text"],
  ["application/json", "text"],
  ["application/pdf", "none"],
  ["application/octet-stream", "none"],
] as const)("%s is shown as: %s", (type, preview) => {
  expect(previewOf(asset(type), "large")).toBe(preview);
});

test("what is too large for a card is shown on its own page, and says so where it is not", () => {
  const large = asset("image/png", 10_000_000);
  expect([previewOf(large, "small"), previewOf(large, "large")]).toEqual(["none", "picture"]);
  expect(unseenWords(asset("image/png", 500_000_000))).toBe("It is too large to be shown here.");
  expect(unseenWords(asset("image/png", 0))).toBe("The file is empty.");
  expect(unseenWords(asset("application/zip"))).toContain("application/zip");
});
