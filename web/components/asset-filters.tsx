// What narrows the assets down; every choice is an address that can be sent to somebody.
import { useNavigate } from "@tanstack/react-router";
import { type AssetSearch, assetKinds, hasFilter } from "../assets/asset-search.ts";
import { shortId } from "../jobs/describe-job.ts";
import { ChoiceLinks } from "./choice-links.tsx";
import { FilterClear } from "./filter-clear.tsx";
import { FilterSelect } from "./filter-select.tsx";
import { FilterText } from "./filter-text.tsx";

const types = [
  { value: "image", words: "Images" },
  { value: "image/svg+xml", words: "SVG" },
  { value: "text/html", words: "HTML" },
  { value: "text", words: "Text" },
  { value: "application/json", words: "JSON" },
  { value: "application/pdf", words: "PDF" },
  { value: "application/zip", words: "Zip" },
  { value: "application/gzip", words: "Gzip" },
  { value: "application", words: "Other data" },
] as const;

const kinds = {
  generated: "Generated",
  upload: "Uploads",
  artifact: "Artifacts",
  bundle: "Bundles",
} as const;

export function AssetFilters({ search }: { search: AssetSearch }) {
  const navigate = useNavigate();
  const go = (change: AssetSearch) =>
    void navigate({ to: "/assets", search: { ...search, ...change, cursor: undefined } });
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      <KindLinks search={search} />
      <FilterSelect
        label="Type"
        allWords="All types"
        value={search.type}
        options={types}
        onChoose={(type) => go({ type })}
      />
      <FilterText
        key={`name ${search.search}`}
        label="Name"
        isNarrow
        value={search.search}
        onApply={(text) => go({ search: text })}
      />
      <FilterText
        key={`task ${search.source_task_id}`}
        label="Task id"
        isNarrow
        value={search.source_task_id}
        onApply={(source_task_id) => go({ source_task_id })}
      />
      <FilterText
        key={`job ${search.job}`}
        label="Job id"
        isNarrow
        value={search.job}
        onApply={(job) => go({ job })}
      />
      {search.run !== undefined && (
        <span className="text-ink-soft text-sm">of run {shortId(search.run)}</span>
      )}
      {hasFilter(search) && <FilterClear link={{ to: "/assets", search: {} }} />}
    </div>
  );
}

function KindLinks({ search }: { search: AssetSearch }) {
  const options = ([undefined, ...assetKinds] as const).map((kind) => ({
    words: kind === undefined ? "All" : kinds[kind],
    link: { to: "/assets", search: { ...search, kind, cursor: undefined } } as const,
    isChosen: search.kind === kind,
  }));
  return <ChoiceLinks label="Kind" options={options} />;
}
