import { type ScopeSwitch, scopeSwitches, switchedValues } from '../../domain/app-definition/scope-switches.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';

/** Counts of the objects that a chart renders with some values. */
export interface ScopeCount {
  /** Objects outside the namespace of the release, CRDs included. */
  readonly outside: number;
  /** All others. */
  readonly inside: number;
  readonly faults: number;
}

/** Values with which a chart has fewer objects outside the namespace of its release, and what it renders with them. */
interface FoundDefaults<T extends ScopeCount> {
  readonly values: JsonObject;
  readonly count: T;
}

/** Each rendering takes a part of a second. */
const MAX_CANDIDATES = 12;
const MAX_COMBINED = 4;

/**
 * Looks for switches of a chart that leave out what is outside the namespace of a release, by rendering: each switch alone, then the best together. Of switches
 * that leave out the same, the one wins with which more stays inside. Stops with what was found when `isOver`.
 *
 * @param render with values over those of the chart; undefined: it could not be rendered.
 * @returns undefined when no switches leave out half of it at least.
 */
export async function findScopeDefaults<T extends ScopeCount>(
  chartValues: JsonObject,
  initial: ScopeCount,
  { render, isOver }: { readonly render: (values: JsonObject) => Promise<T | undefined>; readonly isOver: () => boolean },
): Promise<FoundDefaults<T> | undefined> {
  if (initial.outside === 0) return undefined;
  const helpful: { readonly one: ScopeSwitch; readonly count: T }[] = [];
  for (const one of scopeSwitches(chartValues).slice(0, MAX_CANDIDATES)) {
    if (isOver()) break;
    const count = await render(switchedValues([one]));
    if (count !== undefined && count.outside < initial.outside && count.faults <= initial.faults) helpful.push({ one, count });
  }
  const [first, ...others] = helpful.toSorted((a, b) => a.count.outside - b.count.outside || b.count.inside - a.count.inside);
  if (first === undefined) return undefined;
  let best = { switches: [first.one], count: first.count };
  for (const { one } of others.slice(0, MAX_COMBINED)) {
    if (best.count.outside === 0 || isOver()) break;
    const switches = [...best.switches, one];
    const count = await render(switchedValues(switches));
    if (count !== undefined && count.outside < best.count.outside && count.faults <= initial.faults) best = { switches, count };
  }
  // Values that leave out less than half are not worth a proposal.
  return best.count.outside > initial.outside / 2 ? undefined : { values: switchedValues(best.switches), count: best.count };
}
