// A real git server over HTTP on loopback that ends with the test.
import { onTestFinished } from "vitest";
import { type GitServer, serveGit } from "./serve-git.ts";

/** `root` holds bare repositories. */
export async function startGitServer(root: string): Promise<GitServer> {
  const server = await serveGit(root);
  onTestFinished(() => server.close());
  return server;
}
