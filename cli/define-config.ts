// What a project imports from "croft" in its croft.config.ts.
import type { Handler, Settings, TriggerInput } from "@croft/engine";

export type {
  AnnotationWish,
  AssetContent,
  CheckWish,
  CommandOutput,
  CommandWish,
  CommentWish,
  EnqueuedJob,
  GotFile,
  Handler,
  HandlerAssets,
  HandlerContext,
  HandlerGithub,
  HandlerRepository,
  HandlerWorkspace,
  InputSchema,
  PullRequestWish,
  PutFile,
  PutPullRequest,
  PutWish,
  RepositoryFile,
  TriggerInput,
  WorkspaceFile,
  WorkspaceWish,
} from "@croft/engine";
/** Croft's own, so that a project needs none. */
export { z } from "zod";

export interface ConfigInput extends Settings {
  /** Job types of the project, by their names. */
  readonly handlers?: Readonly<Record<string, Handler>> | undefined;
  /** Which events of GitHub start which jobs and pipelines. */
  readonly triggers?: readonly TriggerInput[] | undefined;
}

/** Gives croft.config.ts its types; the value is returned as it is. */
export function defineConfig(config: ConfigInput): ConfigInput {
  return config;
}

/** Gives the handler the type of its input, as its schema says it. */
export function defineHandler<Input>(handler: Handler<Input>): Handler {
  return handler as unknown as Handler;
}
