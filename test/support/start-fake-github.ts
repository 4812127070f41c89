// A GitHub of a test's own that ends with the test.
import { onTestFinished } from "vitest";
import { type FakeGithub, type FakeGithubOptions, serveFakeGithub } from "./fake-github.ts";

export async function startFakeGithub(options: FakeGithubOptions = {}): Promise<FakeGithub> {
  const github = await serveFakeGithub(options);
  onTestFinished(() => github.close());
  return github;
}
