// Triggers of a project: which events of GitHub start which of its jobs and pipelines, as croft.config.ts says.
import {
  ANY,
  checkTemplate,
  compileTemplate,
  type GithubTrigger,
  members,
  triggerFaults,
} from "@croft/pipeline";
import { z } from "zod";
import { requireGlobs } from "../runs/stored-triggers.ts";

type OneOrMore = string | readonly string[];

/** Texts may have `${{ event.… }}` in them; one that is nothing else keeps the type of its value. */
export interface TriggerInput {
  /** What it is called where its work is shown; the type of its job or the pipeline's name without. */
  readonly name?: string | undefined;
  /** `push`, `pull_request.opened`. */
  readonly on: OneOrMore;
  /** Globs of `owner/name`; all without. */
  readonly repositories?: OneOrMore | undefined;
  /** Globs: of the branch that was pushed, or that a pull request is to go into. */
  readonly branches?: OneOrMore | undefined;
  /** Globs of files, one of which must have changed. */
  readonly paths?: OneOrMore | undefined;
  readonly pathsIgnore?: OneOrMore | undefined;
  /** One of these was set, or is there. */
  readonly labels?: OneOrMore | undefined;
  readonly senders?: OneOrMore | undefined;
  /** A line of the comment must begin with it; of people whom GitHub calls owner, member or collaborator. */
  readonly command?: string | undefined;
  /** Takes the command from everybody. */
  readonly anyone?: boolean | undefined;
  /** Also pull requests that are drafts; true without. */
  readonly drafts?: boolean | undefined;
  readonly ignoreBots?: boolean | undefined;
  /** `trusted`: runs for pull requests from forks get secrets, too. Of pipelines only: jobs have none. */
  readonly forks?: "untrusted" | "trusted" | undefined;
  /** Cancels what an earlier event of the same pull request has started by this trigger. */
  readonly supersede?: boolean | undefined;
  /** `interactive` for commands, else `normal`. */
  readonly priority?: "background" | "normal" | "interactive" | undefined;
  /** Of the lane; that of the installation without. */
  readonly key?: string | undefined;
  /** Either a job … */
  readonly job?:
    | { readonly type: string; readonly input?: Readonly<Record<string, unknown>> | undefined }
    | undefined;
  /** … or a stored pipeline of the admins', by its name. */
  readonly pipeline?: string | undefined;
  readonly inputs?: Readonly<Record<string, unknown>> | undefined;
}

export interface ProjectTrigger {
  /** No other of the project has it. */
  readonly name: string;
  readonly trigger: GithubTrigger;
  readonly work:
    | {
        readonly kind: "job";
        readonly type: string;
        readonly input: Readonly<Record<string, unknown>>;
      }
    | {
        readonly kind: "pipeline";
        readonly pipeline: string;
        readonly inputs: Readonly<Record<string, unknown>>;
      };
}

const COUNT_MAX = 500;
const text = z.string().min(1).max(2000);
const texts = z.union([text, z.array(text)]).transform((said) => [said].flat());
const json = z.record(z.string(), z.json());

const TriggerShape = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/, "must be letters, digits and ._:- only")
    .optional(),
  on: texts,
  repositories: texts.prefault([]),
  branches: texts.prefault([]),
  paths: texts.prefault([]),
  pathsIgnore: texts.prefault([]),
  labels: texts.prefault([]),
  senders: texts.prefault([]),
  command: text.optional(),
  anyone: z.boolean().prefault(false),
  drafts: z.boolean().prefault(true),
  ignoreBots: z.boolean().prefault(false),
  forks: z.enum(["untrusted", "trusted"]).prefault("untrusted"),
  supersede: z.boolean().prefault(false),
  priority: z.enum(["background", "normal", "interactive"]).optional(),
  key: text.optional(),
  job: z.strictObject({ type: text, input: json.prefault({}) }).optional(),
  pipeline: text.optional(),
  inputs: json.optional(),
});

/** Throws with what is wrong with them. */
export function requireTriggers(value: unknown): readonly ProjectTrigger[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error("triggers must be a list");
  if (value.length > COUNT_MAX) throw new Error(`triggers: there are more than ${COUNT_MAX}`);
  const taken = new Set<string>();
  return value.map((said: unknown, index) => requireTrigger(said, `triggers[${index}]`, taken));
}

function requireTrigger(said: unknown, place: string, taken: Set<string>): ProjectTrigger {
  const read = TriggerShape.safeParse(said);
  if (!read.success) {
    const [issue] = read.error.issues;
    const at = [place, ...(issue?.path ?? [])].map(String).join(".");
    throw new Error(`${at}: ${issue?.message ?? "is not valid"}`);
  }
  const { name, on, job, pipeline, inputs, command, priority, key, ...rest } = read.data;
  const trigger: GithubTrigger = {
    ...{ ...rest, events: on },
    ...(command === undefined ? {} : { command }),
    ...(priority === undefined ? {} : { priority }),
    ...(key === undefined ? {} : { key }),
  };
  const [fault] = triggerFaults(trigger);
  if (fault !== undefined) {
    const member = fault.member === "events" ? "on" : fault.member;
    throw new Error(`${place}.${member}: ${fault.message}`);
  }
  requireGlobs([trigger]);
  const work = workOf({ job, pipeline, inputs }, place);
  requireTemplates(key, `${place}.key`);
  if (work.kind === "job") requireTemplates(work.input, `${place}.job.input`);
  else requireTemplates(work.inputs, `${place}.inputs`);
  return { name: ownName(name, work, place, taken), trigger, work };
}

function workOf(
  { job, pipeline, inputs }: Pick<z.infer<typeof TriggerShape>, "job" | "pipeline" | "inputs">,
  place: string,
): ProjectTrigger["work"] {
  if ((job === undefined) === (pipeline === undefined)) {
    throw new Error(`${place} must have either 'job' or 'pipeline'`);
  }
  if (job !== undefined) {
    if (inputs !== undefined) {
      throw new Error(`${place}.inputs: is for a pipeline; a job has 'job.input'`);
    }
    return { kind: "job", ...job };
  }
  return { kind: "pipeline", pipeline: pipeline ?? "", inputs: inputs ?? {} };
}

/** Every text, however deep: what it names exists. */
function requireTemplates(value: unknown, place: string): void {
  if (typeof value === "string") {
    if (!value.includes("${{")) return;
    const { template, faults } = compileTemplate(value);
    const contexts = members("name", [["event", ANY]], () => "only 'event' is available here");
    const found =
      template === undefined ? faults : checkTemplate(template, { contexts, hasStatus: false });
    if (found[0] !== undefined) throw new Error(`${place}: ${found[0].message}`);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) requireTemplates(member, `${place}.${key}`);
  }
}

function ownName(
  given: string | undefined,
  work: ProjectTrigger["work"],
  place: string,
  taken: Set<string>,
): string {
  if (given !== undefined && taken.has(given)) {
    throw new Error(`${place}.name: another trigger is called '${given}' already`);
  }
  const first = given ?? (work.kind === "job" ? `job:${work.type}` : `run:${work.pipeline}`);
  let name = first;
  for (let nth = 2; taken.has(name); nth++) name = `${first}:${nth}`;
  taken.add(name);
  return name;
}
