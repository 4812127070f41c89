// Job types over HTTP: what can be submitted, and the shape of its input.
import { JobTypeList } from "@croft/contract";
import { type Engine, listJobTypes } from "@croft/engine";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";

export function jobTypeRoutes(app: App, { database, types }: Engine): void {
  app.get(
    "/api/job-types",
    {
      config: { access: "reader" },
      schema: {
        tags: ["jobs"],
        summary: "List what can be submitted",
        response: { 200: JobTypeList, ...describeProblems("unauthenticated") },
      },
    },
    async () => await listJobTypes(database, types),
  );
}
