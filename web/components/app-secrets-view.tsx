// The secrets of a new app, shown this once; whoever leaves says first that they are stored.
import { useBlocker, useNavigate } from "@tanstack/react-router";
import { Download, KeyRound, Plug } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { type AppSecrets, environmentOf, receiverSnippet } from "../apps/app-secrets.ts";
import { Button } from "./button.tsx";
import { Checkbox } from "./checkbox.tsx";
import { CodeBlock } from "./code-block.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Notice } from "./notice.tsx";
import { PageHeader } from "./page-header.tsx";
import { Panel } from "./panel.tsx";
import { SecretValue } from "./secret-value.tsx";

export function AppSecretsView({ secrets }: { secrets: AppSecrets }) {
  const navigate = useNavigate();
  const [isStored, setIsStored] = useState(false);
  const blocker = useBlocker({
    shouldBlockFn: () => !isStored,
    enableBeforeUnload: () => !isStored,
    withResolver: true,
  });
  useFocusTitle();
  return (
    <>
      <PageHeader title={`${secrets.name} is onboarded`} />
      <div className="max-w-3xl space-y-4">
        <Notice tone="warn" title="Store these now: they are never shown again">
          Whoever has the token can ask in the app's name; whoever has the signing secret can send
          it what looks like a delivery. If they are lost, rotate them on the app's page.
        </Notice>
        <Keys secrets={secrets} />
        <Panel title="Receive deliveries" icon={Plug}>
          <div className="space-y-3">
            <p className="text-ink-soft text-sm">
              {secrets.base_url === null
                ? "The app has no address yet; give it one on its page, and answer there like this."
                : "Croft posts signed messages to the app's address. With Node.js this answers them; the protocol for any other language is in docs/deliveries.md."}
            </p>
            <CodeBlock label="A receiver with @croft/receiver">{receiverSnippet}</CodeBlock>
          </div>
        </Panel>
        <div className="flex flex-wrap items-center justify-between gap-4 rounded-lg border border-line bg-surface px-4 py-3 shadow-card">
          <Checkbox isOn={isStored} onChange={setIsStored}>
            I have stored the token and the signing secret
          </Checkbox>
          <Button
            look="primary"
            disabled={!isStored}
            onClick={() =>
              void navigate({ to: "/apps/$id", params: { id: secrets.id }, search: {} })
            }
          >
            Go to the app
          </Button>
        </div>
      </div>
      {blocker.status === "blocked" && (
        <ConfirmDialog
          title="Leave without storing them?"
          confirmLabel="Leave"
          dismissLabel="Stay"
          busy={false}
          error={null}
          onConfirm={blocker.proceed}
          onClose={blocker.reset}
        >
          Token and signing secret are never shown again. The app itself stays, and you can rotate
          both on its page.
        </ConfirmDialog>
      )}
    </>
  );
}

function Keys({ secrets }: { secrets: AppSecrets }) {
  const all = () => environmentOf(secrets, window.location.origin);
  return (
    <Panel title="Keys" icon={KeyRound}>
      <dl className="space-y-4">
        <SecretValue name="App id" hint="How it is named in the API." value={secrets.id} />
        <SecretValue
          name="Token"
          hint="For its requests: Authorization: Bearer …"
          value={secrets.token}
        />
        <SecretValue
          name="Signing secret"
          hint="To check that a delivery comes from here."
          value={secrets.signing_secret}
        />
      </dl>
      <div className="mt-4 flex flex-wrap gap-2">
        <CopyButton label="Copy all" text={all} hasWords />
        <Button onClick={() => download(`${secrets.name}.env`, all())}>
          <Download className="size-4" aria-hidden />
          Download as .env
        </Button>
      </div>
    </Panel>
  );
}

/** Straight from memory: it never has an address that could be asked for. */
function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replaceAll(/[^\w.-]+/g, "-");
  link.click();
  URL.revokeObjectURL(url);
}

/** The form that had the focus is gone. */
function useFocusTitle(): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    document.querySelector<HTMLElement>("h1")?.focus();
  }, []);
}
