// The steps of a run as a picture: from left to right, each after what it needs.
import { type RefObject, useLayoutEffect, useMemo, useRef } from "react";
import { itemsWords, type StepGroup } from "../runs/run-steps.ts";
import { type StepGraph as Graph, type GraphPlace, stepGraph } from "../runs/step-graph.ts";
import { StatusMark } from "./status-badge.tsx";
import { StepLink } from "./step-link.tsx";

export interface StepGraphProps {
  runId: string;
  groups: readonly StepGroup[];
  chosen: string | undefined;
}

const box = { width: 176, height: 44 };
const gap = { width: 44, height: 12 };
const edge = 16;

export function StepGraph({ runId, groups, chosen }: StepGraphProps) {
  const scroller = useRef<HTMLElement>(null);
  // The shape of a run never changes; only a new list of needs makes a new picture.
  const shape = JSON.stringify(groups.map(({ step: { step, needs } }) => ({ step, needs })));
  const graph = useMemo(() => stepGraph(JSON.parse(shape)), [shape]);
  useInSight(scroller, graph, chosen);
  const width = graph.columns * (box.width + gap.width) - gap.width + 2 * edge;
  const height = graph.rows * (box.height + gap.height) - gap.height + 2 * edge;
  const groupOf = new Map(groups.map((group) => [group.step.step, group]));
  return (
    <nav
      ref={scroller}
      aria-label="Graph of the steps"
      className="max-h-[min(50dvh,26rem)] overflow-auto overscroll-x-contain"
    >
      <div className="relative" style={{ width, height }}>
        <Lines graph={graph} chosen={chosen} width={width} height={height} />
        <ol>
          {graph.places.map((place) => {
            const group = groupOf.get(place.step);
            return group === undefined ? null : (
              <li key={place.step}>
                <Node {...{ runId, group, place }} isChosen={place.step === chosen} />
              </li>
            );
          })}
        </ol>
      </div>
    </nav>
  );
}

interface NodeProps {
  runId: string;
  group: StepGroup;
  place: GraphPlace;
  isChosen: boolean;
}

function Node({ runId, group, place, isChosen }: NodeProps) {
  const { step } = group;
  const items = itemsWords(group);
  return (
    <StepLink
      runId={runId}
      step={step.step}
      isChosen={isChosen}
      style={{ left: leftOf(place), top: topOf(place), width: box.width, height: box.height }}
      className="absolute flex items-center gap-2 rounded-md border border-line-strong bg-surface px-2.5 text-sm shadow-card hover:bg-hover data-[chosen=true]:border-ink data-[chosen=true]:bg-hover"
    >
      <StatusMark status={step.status} />
      <span className="min-w-0 flex-1 leading-4">
        <span className="block truncate" title={step.name}>
          {step.name}
        </span>
        {items !== undefined && (
          <span className="block truncate text-ink-soft text-xs">{items}</span>
        )}
        {step.needs.length > 0 && <span className="sr-only">, after {step.needs.join(", ")}</span>}
      </span>
    </StepLink>
  );
}

interface LinesProps {
  graph: Graph;
  chosen: string | undefined;
  width: number;
  height: number;
}

/** All in two shapes: hundreds of lines cost no more than one. */
function Lines({ graph, chosen, width, height }: LinesProps) {
  const drawn = (isOfChosen: boolean) =>
    graph.lines
      .filter(({ from, to }) => (from.step === chosen || to.step === chosen) === isOfChosen)
      .map(({ from, to }) => lineBetween(from, to))
      .join("");
  return (
    <svg aria-hidden width={width} height={height} className="absolute inset-0" fill="none">
      <path d={drawn(false)} className="stroke-line-strong" strokeWidth={1.5} />
      <path d={drawn(true)} className="stroke-ink" strokeWidth={1.5} />
    </svg>
  );
}

function lineBetween(from: GraphPlace, to: GraphPlace): string {
  const x1 = leftOf(from) + box.width;
  const y1 = topOf(from) + box.height / 2;
  const x2 = leftOf(to);
  const y2 = topOf(to) + box.height / 2;
  // Bends only beside the column it ends at: what lies between is passed straight.
  const bend = x2 - gap.width;
  const middle = x2 - gap.width / 2;
  return `M${x1} ${y1}H${bend}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}

function leftOf({ column }: GraphPlace): number {
  return edge + column * (box.width + gap.width);
}

function topOf({ row }: GraphPlace): number {
  return edge + row * (box.height + gap.height);
}

/** Scrolls the picture, never the page, to the chosen step. */
function useInSight(
  scroller: RefObject<HTMLElement | null>,
  { places }: Graph,
  chosen: string | undefined,
): void {
  useLayoutEffect(() => {
    const place = places.find(({ step }) => step === chosen);
    const element = scroller.current;
    if (element === null || place === undefined) return;
    const [left, top] = [leftOf(place), topOf(place)];
    if (left < element.scrollLeft || left + box.width > element.scrollLeft + element.clientWidth) {
      element.scrollLeft = left - (element.clientWidth - box.width) / 2;
    }
    if (top < element.scrollTop || top + box.height > element.scrollTop + element.clientHeight) {
      element.scrollTop = top - (element.clientHeight - box.height) / 2;
    }
  }, [scroller, places, chosen]);
}
