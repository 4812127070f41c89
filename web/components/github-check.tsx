// Asks GitHub whether the App is set up as Croft needs it, and shows what to do where it is not.
import type { GithubCheck as Check } from "@croft/contract";
import { useMutation } from "@tanstack/react-query";
import { CircleCheck, CircleX, Stethoscope, TriangleAlert } from "lucide-react";
import { body } from "../api.ts";
import { sentence } from "../sentence.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";
import { Button } from "./button.tsx";
import { factLink } from "./fact.tsx";
import { Panel } from "./panel.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

const faces = {
  ok: { icon: CircleCheck, mark: "text-accent", words: "Good" },
  warning: { icon: TriangleAlert, mark: "text-warn", words: "Warning" },
  failed: { icon: CircleX, mark: "text-bad", words: "Failed" },
} as const;

export function useGithubCheck() {
  const api = useApi();
  return useMutation({ mutationFn: () => body(api.POST("/api/github/check")) });
}

type Checking = ReturnType<typeof useGithubCheck>;

export function GithubCheckButton({ checking }: { checking: Checking }) {
  const mayChange = useMayChange();
  if (!mayChange) return null;
  return (
    <Button busy={checking.isPending} onClick={() => checking.mutate()}>
      {!checking.isPending && <Stethoscope className="size-4" aria-hidden />}
      Check the App
    </Button>
  );
}

/** Nothing until somebody has asked. */
export function GithubCheckResult({ checking: { data, error } }: { checking: Checking }) {
  return (
    <div role="status" className="empty:hidden">
      {error !== null && <ProblemNotice error={error} />}
      {data !== undefined && (
        <Panel
          title="Check of the App"
          icon={Stethoscope}
          aside={data.ok ? "it works" : "it does not work"}
        >
          <ul className="-my-2.5 divide-y divide-line text-sm">
            {data.checks.map((check) => (
              <OneCheck key={check.name} check={check} />
            ))}
          </ul>
        </Panel>
      )}
    </div>
  );
}

function OneCheck({ check: { name, outcome, detail, advice } }: { check: Check }) {
  const { icon: Icon, mark, words } = faces[outcome];
  return (
    <li className="flex gap-3 py-2.5">
      <span title={words} className={`pt-0.5 ${mark}`}>
        <Icon className="size-4" aria-hidden />
        <span className="sr-only">{words}</span>
      </span>
      <div className="min-w-0 flex-1 sm:flex sm:gap-4">
        <p className="w-44 shrink-0 font-medium">
          {sentence(name.replaceAll("-", " ")).slice(0, -1)}
        </p>
        <div className="wrap-anywhere min-w-0 text-ink-soft">
          <p>{detail}</p>
          {advice !== null && <Advice>{advice}</Advice>}
        </div>
      </div>
    </li>
  );
}

/** Sometimes it is nothing but where to go. */
function Advice({ children }: { children: string }) {
  const isLink = /^https?:\/\/\S+$/.test(children);
  return (
    <p className="text-ink">
      {isLink ? (
        <a href={children} className={factLink}>
          {children}
        </a>
      ) : (
        children
      )}
    </p>
  );
}
