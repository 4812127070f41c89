// Downloads the files that a job has made.
import type { Job } from "@croft/contract";
import { freeName } from "./free-name.ts";
import type { ReachedServer } from "./reach-server.ts";
import { requireAnswer } from "./require-answer.ts";
import { saveAsset } from "./save-asset.ts";
import { stopSignal } from "./stop-signal.ts";

export interface ResultPlace {
  readonly directory: string;
  readonly force: boolean;
}

/** Returns where they are. Two of one name are told apart by a number. */
export async function saveResults(
  server: ReachedServer,
  { result_assets: ids }: Pick<Job, "result_assets">,
  { directory, force }: ResultPlace,
): Promise<string[]> {
  const signal = stopSignal();
  const taken = new Set<string>();
  const paths: string[] = [];
  for (const id of ids) {
    const answer = await server.client.GET("/api/assets/{id}", { params: { path: { id } } });
    const asset = requireAnswer(answer);
    const name = freeName(asset.name, taken);
    taken.add(name.toLowerCase());
    paths.push(await saveAsset(server, asset, directory, { force, name, signal }));
  }
  return paths;
}
