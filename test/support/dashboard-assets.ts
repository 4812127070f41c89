// A running server with a project of handlers, and a browser that is signed in to it, for the pages about files.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Asset, Job } from "@croft/contract";
import { inject } from "vitest";
import { callApi } from "./call-api.ts";
import { type JobsDashboard, openJobsDashboard } from "./dashboard-jobs.ts";

export interface AssetsDashboard extends JobsDashboard {
  /** Exists when the handler may go on that was told to wait for it. */
  readonly signal: string;
  upload(name: string, bytes: string | Uint8Array, type?: string): Promise<Asset>;
  submitTyped(type: string, input: object, rest?: object): Promise<Job>;
}

/** Has a field of every kind, and makes as many pictures as it is asked for. */
const PROJECT = `
import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { defineConfig, defineHandler, z } from "croft";
const poster = defineHandler({
  description: "posters of your words",
  input: z.strictObject({
    title: z.string().min(1).max(80).describe("what stands on them"),
    copies: z.int().min(1).max(5).default(2),
    tone: z.enum(["calm", "loud"]).default("calm"),
    tags: z.array(z.string().min(3)).max(5).optional(),
    colours: z.record(z.string(), z.string()).optional(),
    frame: z.object({ width: z.number(), rounded: z.boolean() }).optional(),
    place: z
      .discriminatedUnion("to", [
        z.object({ to: z.literal("wall"), height_cm: z.number() }),
        z.object({ to: z.literal("mail"), address: z.email() }),
      ])
      .optional(),
    due: z.iso.date().optional(),
    extra: z.any().optional(),
    wait_for: z.string().optional(),
  }),
  run: async ({ input, progress, assets, signal }) => {
    for (let copy = 1; copy <= input.copies; copy++) {
      progress(copy / (input.copies + 1), \`drew \${copy} of \${input.copies}\`);
      const words = \`<text y="20">\${input.title} \${copy}</text>\`;
      const svg = \`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 30">\${words}</svg>\`;
      await assets.put(\`poster-\${copy}.svg\`, svg, { mediaType: "image/svg+xml" });
    }
    while (input.wait_for !== undefined && !existsSync(input.wait_for)) {
      await setTimeout(50, undefined, { signal });
    }
    return input;
  },
});
export default defineConfig({ handlers: { poster } });
`;

export async function openAssetsDashboard(
  name: string,
  env: Record<string, string> = {},
): Promise<AssetsDashboard> {
  const root = join(inject("scratch"), name);
  const cwd = join(root, "project");
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, "croft.config.ts"), PROJECT);
  const scene = await openJobsDashboard(name, { cwd, env });
  const { url, token } = scene.server;
  return {
    ...scene,
    signal: join(root, "go-on"),
    upload: async (file, bytes, type = "application/octet-stream") => {
      const response = await fetch(`${url}/api/assets?name=${encodeURIComponent(file)}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": type },
        body: Buffer.from(bytes),
      });
      if (response.status !== 201) throw new Error(await response.text());
      return (await response.json()) as Asset;
    },
    submitTyped: async (type, input, rest = {}) =>
      await callApi<Job>(scene.server, "POST", "/api/jobs", { type, input, ...rest }),
  };
}
