// Asks GitHub whether the App is set up as Croft needs it.
import { GithubDiagnosis } from "@croft/contract";
import { diagnoseGithub, type Engine } from "@croft/engine";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";

export function githubCheckRoute(app: App, engine: Engine): void {
  app.post(
    "/api/github/check",
    {
      config: { access: "admin" },
      schema: {
        tags: ["github"],
        summary: "Prove the configuration of the GitHub App against GitHub",
        description:
          "Asks GitHub as the App and as each installation: whether the key signs, what is allowed and what is missing, where events go and whether they arrived, and how many requests are left.",
        response: { 200: GithubDiagnosis, ...describeProblems("unauthenticated", "forbidden") },
      },
    },
    async () => await diagnoseGithub(engine),
  );
}
