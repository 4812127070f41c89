// The properties of a watch, as a line of names and values; and what it is told of.
import type { Watch } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { credentialsQuery } from "../apps/app-query.ts";
import { formatCount } from "../format-count.ts";
import { formatElapsed } from "../format-duration.ts";
import { useApi } from "../use-api.ts";
import { CopyButton } from "./copy-button.tsx";
import { Fact, factLink } from "./fact.tsx";
import { RelativeTime } from "./relative-time.tsx";
import { CommitId } from "./run-facts.tsx";

export function WatchFacts({ watch, appName }: { watch: Watch; appName: string }) {
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-3">
      <Fact name="Address">{watch.url}</Fact>
      <Fact name="App">
        <Link to="/apps/$id" params={{ id: watch.app }} search={{}} className={factLink}>
          {appName}
        </Link>
      </Fact>
      <Fact name="Ref">
        {watch.ref ?? "default branch"}
        {watch.ref === null && watch.commit_ref !== null && ` (${shortRef(watch.commit_ref)})`}
      </Fact>
      {watch.commit !== null && (
        <Fact name="Told of commit">
          <CommitId commit={watch.commit} />
        </Fact>
      )}
      {watch.told_at !== null && (
        <Fact name="Told">
          <RelativeTime time={watch.told_at} isPast />
        </Fact>
      )}
      <Fact name="Undelivered">{formatCount(watch.undelivered)}</Fact>
      <Fact name="Looked at">
        {watch.poll === null ? "as the server is set" : `every ${formatElapsed(watch.poll * 1000)}`}
      </Fact>
      <Fact name="Credential">
        <CredentialName watch={watch} />
      </Fact>
      {watch.checked_at !== null && (
        <Fact name="Access checked">
          <RelativeTime time={watch.checked_at} isPast />
        </Fact>
      )}
      <Fact name="Files">
        <Filters watch={watch} />
      </Fact>
      <Fact name="Watched since">
        <RelativeTime time={watch.created_at} isPast />
      </Fact>
      <Fact name="Id">
        <span className="flex h-5 items-center font-mono text-xs">
          {watch.id}
          <CopyButton label="Copy the id" text={() => watch.id} />
        </span>
      </Fact>
    </dl>
  );
}

function CredentialName({ watch }: { watch: Watch }) {
  const { data } = useQuery(credentialsQuery(useApi(), watch.app));
  if (watch.credential === null) return "the one that fits best, or none";
  const named = data?.credentials.find(({ id }) => id === watch.credential);
  return named === undefined ? "one of the app's" : `${named.url} (${named.username})`;
}

function Filters({ watch: { include, exclude } }: { watch: Watch }) {
  if (include.length + exclude.length === 0) return "all";
  return (
    <span className="flex flex-wrap gap-1.5 pt-0.5">
      {include.length > 0 && <Globs globs={include} words="only" />}
      {exclude.length > 0 && <Globs globs={exclude} words="not" />}
    </span>
  );
}

function Globs({ globs, words }: { globs: readonly string[]; words: string }) {
  return (
    <>
      <span className="text-ink-faint text-xs leading-5">{words}</span>
      {globs.map((glob) => (
        <code key={glob} className="rounded-sm bg-sunken px-1.5 font-mono text-xs leading-5">
          {glob}
        </code>
      ))}
    </>
  );
}

function shortRef(ref: string): string {
  return ref.replace(/^refs\/(heads|tags)\//, "");
}
