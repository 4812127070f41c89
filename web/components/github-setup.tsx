// How to connect Croft with a GitHub App, step by step, with the addresses of this installation.
import type { GithubState } from "@croft/contract";
import { type ReactNode, useId } from "react";
import { accessWords, neededPermissions, usualEvents } from "../github/app-needs.ts";
import { CodeBlock } from "./code-block.tsx";
import { CodeText } from "./code-text.tsx";
import { factLink } from "./fact.tsx";

const secretCommand = "openssl rand -hex 32 > webhook-secret";
const settings = [
  "CROFT_GITHUB_APP_ID=123456",
  "CROFT_GITHUB_PRIVATE_KEY_FILE=/etc/croft/github-app.pem",
  "CROFT_GITHUB_WEBHOOK_SECRET_FILE=/etc/croft/webhook-secret",
].join("\n");

/** Where GitHub is to send events, as far as a browser can tell. */
export function webhookAddress(): string {
  return `${window.location.origin}/webhooks/github`;
}

export function GithubSetup({ state }: { state: GithubState }) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <header className="border-line border-b p-5">
        <h2 id={id} className="font-semibold text-lg">
          Connect a GitHub App
        </h2>
        <p className="mt-1 max-w-2xl text-ink-soft">
          An App lets repositories start jobs and pipelines by what happens in them, and lets Croft
          answer: with check runs, comments, branches and pull requests. Nothing is configured yet.
        </p>
      </header>
      <ol className="divide-y divide-line">
        <RegisterStep state={state} />
        <PermissionsStep />
        <Step number={3} title="Give Croft its id, its key and the secret">
          <p>
            Generate a private key on the App's page, and put it and the secret into files that only
            Croft can read. Then start Croft with these settings:
          </p>
          <CodeBlock label="Settings of the GitHub App">{settings}</CodeBlock>
          <p>
            <CodeText>
              For a GitHub Enterprise Server also `CROFT_GITHUB_API_URL` (`https://host/api/v3`) and
              `CROFT_GITHUB_WEB_URL`.
            </CodeText>
          </p>
        </Step>
        <Step number={4} title="Check it, and install the App">
          <CodeBlock label="Check the App">croft github check</CodeBlock>
          <p>
            Install the App on an account. Its first event appears here at once, and this guide is
            gone. <CodeText>`docs/github.md` says what triggers can do.</CodeText>
          </p>
        </Step>
      </ol>
    </section>
  );
}

function RegisterStep({ state }: { state: GithubState }) {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(window.location.hostname);
  return (
    <Step number={1} title="Register an App at GitHub">
      <p>
        Open{" "}
        <a href={`${state.web_url}/settings/apps/new`} className={factLink}>
          New GitHub App
        </a>{" "}
        (or the same in an organization's settings). Its webhook URL is:
      </p>
      <CodeBlock label="Webhook URL">{webhookAddress()}</CodeBlock>
      {isLocal && (
        <p>
          From the internet GitHub cannot reach this machine so: give it the https address of the
          proxy in front of Croft, with the same path.
        </p>
      )}
      <p>Its webhook secret has at least 16 characters. This makes a good one:</p>
      <CodeBlock label="Make a secret">{secretCommand}</CodeBlock>
    </Step>
  );
}

function PermissionsStep() {
  return (
    <Step number={2} title="Choose permissions and events">
      <dl className="divide-y divide-line rounded-md border border-line text-sm">
        {neededPermissions.map(({ key, name, access, why }) => (
          <div key={key} className="flex flex-wrap gap-x-4 px-3 py-1.5">
            <dt className="w-28 font-medium text-ink">{name}</dt>
            <dd className="flex flex-1 flex-wrap gap-x-4">
              <span className="w-28 text-ink">{accessWords(access)}</span>
              <span className="text-ink-faint">{why}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p>
        Subscribe to {usualEvents.join(", ")}, or to fewer, if nothing is to start by the others.
      </p>
    </Step>
  );
}

interface StepProps {
  number: number;
  title: string;
  children: ReactNode;
}

function Step({ number, title, children }: StepProps) {
  return (
    <li className="p-5 sm:flex sm:gap-4">
      <span
        aria-hidden
        className="grid size-6 shrink-0 place-items-center rounded-full bg-accent-soft font-medium text-accent text-xs tabular-nums max-sm:float-left max-sm:mr-3"
      >
        {number}
      </span>
      <div className="min-w-0 max-w-2xl flex-1 space-y-3 text-ink-soft">
        <h3 className="font-medium text-ink max-sm:leading-6">{title}</h3>
        {children}
      </div>
    </li>
  );
}
