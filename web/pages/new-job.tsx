// A new job: which type, then what it asks for.
import type { JobTypeInfo } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { Archive, ChartNoAxesCombined, Puzzle, SquareTerminal, Workflow } from "lucide-react";
import { Breadcrumb } from "../components/breadcrumb.tsx";
import { ListBody } from "../components/list-body.tsx";
import { NewJobForm } from "../components/new-job-form.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { rowLink } from "../components/table-look.ts";
import { jobTypesQuery } from "../job-form/job-types-query.ts";
import { sentence } from "../sentence.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";

export function NewJobPage() {
  const { type: name } = useSearch({ from: "/app/jobs/new" });
  const query = useQuery(jobTypesQuery(useApi()));
  const mayChange = useMayChange();
  const type = query.data?.job_types.find((one) => one.name === name);
  const up =
    name === undefined ? (
      <Breadcrumb link={{ to: "/jobs", search: {} }}>Jobs</Breadcrumb>
    ) : (
      <Breadcrumb link={{ to: "/jobs/new", search: {} }}>New job</Breadcrumb>
    );
  return (
    <>
      {up}
      <PageHeader title={name === undefined ? "New job" : `New ${name} job`} />
      <ListBody
        query={query}
        isEmpty={({ job_types }) => job_types.length === 0}
        empty={<p className="text-ink-soft">No worker knows any type yet.</p>}
      >
        {({ job_types }) => {
          if (!mayChange) return <OnlyLooking />;
          if (name === undefined) return <TypeChoice types={job_types} />;
          if (type === undefined) return <UnknownType name={name} />;
          return (
            <>
              {type.description !== null && (
                <p className="-mt-3 mb-5 max-w-2xl text-ink-soft">{sentence(type.description)}</p>
              )}
              {/* Another type has other fields: nothing of the last one stays. */}
              <NewJobForm key={type.name} type={type} />
            </>
          );
        }}
      </ListBody>
    </>
  );
}

const icons = {
  archive: Archive,
  command: SquareTerminal,
  diagram: Workflow,
  report: ChartNoAxesCombined,
} as const;

function TypeChoice({ types }: { types: readonly JobTypeInfo[] }) {
  return (
    <ul
      aria-label="Job types"
      className="grid grid-cols-[repeat(auto-fill,minmax(min(18rem,100%),1fr))] gap-3"
    >
      {types.map(({ name, description, source }) => {
        const own = source === "built-in" ? Object.entries(icons) : [];
        const Icon = own.find(([known]) => known === name)?.[1] ?? Puzzle;
        return (
          <li
            key={name}
            className="relative flex gap-3 rounded-lg border border-line bg-surface p-4 shadow-card transition-colors hover:border-line-strong hover:bg-hover"
          >
            <span className="grid size-9 shrink-0 place-items-center rounded-md bg-accent-soft text-accent">
              <Icon className="size-4.5" aria-hidden />
            </span>
            <div className="min-w-0">
              <Link
                to="/jobs/new"
                search={{ type: name }}
                className={`wrap-anywhere font-medium ${rowLink}`}
              >
                {name}
              </Link>
              <p className="text-ink-soft text-sm">
                {description === null ? "No description." : sentence(description)}
              </p>
              {source === "project" && (
                <p className="mt-1 text-ink-faint text-xs">Of your project</p>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function UnknownType({ name }: { name: string }) {
  return (
    <Notice tone="warn" title={`There is no job type ${name}`}>
      No worker knows it at the moment.{" "}
      <Link to="/jobs/new" search={{}} className="font-medium text-accent underline">
        Choose another one
      </Link>
    </Notice>
  );
}

function OnlyLooking() {
  return (
    <Notice tone="warn" title="You may only look">
      Jobs are submitted by admins, by apps, and by the local CLI.
    </Notice>
  );
}
