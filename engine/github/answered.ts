// An answer of GitHub's for a diagnosis: what it is, or why there is none.
import { type Check, checkNamed } from "@croft/git";
import { GithubError } from "./github-error.ts";

export async function answered<T>(
  name: string,
  ask: () => Promise<T>,
): Promise<{ readonly found: T } | { readonly check: Check }> {
  try {
    return { found: await ask() };
  } catch (error) {
    if (!(error instanceof GithubError)) throw error;
    const advice = error.mayPass && error.status !== 401 ? "try again later" : undefined;
    return { check: checkNamed(name).failed(error.message, advice) };
  }
}
