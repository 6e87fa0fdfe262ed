import { LRUCache } from 'lru-cache';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { ThreadHost } from '../../thread/thread-host.ts';
import type { ValuesVerdict } from './value-faults.ts';
import type { VALUES_JOBS } from './values-worker.ts';
import { coalesceValues } from '../../domain/chart/coalesce-values.ts';
import type { Dependency, EnabledSubchart, Subchart } from '../../domain/chart/subcharts.ts';
import { type FieldFault, sentenceOfFault } from '../../domain/core/errors.ts';

interface ValuesToCheck {
  readonly schema: JsonObject;
  readonly values: JsonObject;
  /** Stands for the schema, such as the digest of its chart: what was too heavy is not tried again at once. */
  readonly id: string;
}

interface ValuesLimits {
  /** Milliseconds after which the thread is ended. */
  readonly timeoutMs: number;
  readonly memoryMib: number;
  /** Milliseconds for which a schema that took longer is left alone. */
  readonly restMs: number;
  readonly now: () => number;
}

/** Holds values against a foreign schema; never rejects. */
type ValuesCheck = (question: ValuesToCheck) => Promise<ValuesVerdict>;

const LIMITS: ValuesLimits = { timeoutMs: 2_000, memoryMib: 256, restMs: 600_000, now: Date.now };
const MAX_ENTRIES = 100;

/** A chart asks once for itself and once a subchart, which one thread answers. */
const IDLE_MS = 250;

/**
 * Makes a check that cannot hurt: questions are answered in a thread, one after the other, which is ended when one takes too long or too much memory.
 * Then the values count as unchecked, and so does that schema for a while; no other one is affected.
 */
export function createValuesCheck(limits: ValuesLimits = LIMITS): ValuesCheck {
  const { timeoutMs, memoryMib } = limits;
  const file = new URL('values-worker.ts', import.meta.url);
  const thread = new ThreadHost<typeof VALUES_JOBS>({ file, memoryMib, youngMib: 16, idleMs: IDLE_MS });
  const heavy = new LRUCache<string, number>({ max: MAX_ENTRIES });
  let last: Promise<unknown> = Promise.resolve();
  return async ({ schema, values, id }) => {
    if (!isSmall(schema) || !isSmall(values)) return { faults: [], unchecked: 'the schema or the values are larger than the limits allow' };
    const answer = last.then(async () => {
      if ((heavy.get(id) ?? 0) > limits.now()) return tooHeavy(limits);
      const outcome = await thread.run('valueFaults', [schema, values], { timeoutMs });
      if (outcome.kind === 'Result') return outcome.result;
      heavy.set(id, limits.now() + limits.restMs);
      return tooHeavy(limits);
    });
    last = answer;
    return await answer;
  };
}

function tooHeavy({ timeoutMs }: ValuesLimits): ValuesVerdict {
  return { faults: [], unchecked: `the schema takes more than ${timeoutMs / 1000} s, or too much memory` };
}

/** The check that previews and the controller share. */
const checkValues = createValuesCheck();

/** What is looked at of a chart. */
interface ChartWithSchema {
  readonly digest: string;
  readonly contents: {
    readonly metadata: { readonly name: string; readonly dependencies?: readonly Dependency[] };
    readonly values?: JsonObject;
    /** values.schema.json. */
    readonly schema?: JsonObject;
    /** Absent: none. */
    readonly subcharts?: readonly Subchart[];
  };
}

/** What a chart says about values, a sentence each. */
interface ChartVerdict {
  readonly faults: readonly string[];
  readonly unchecked: readonly string[];
}

/** What a chart holds values against. */
interface ChartSchemas {
  /** values.schema.json. */
  readonly schema?: JsonObject;
  readonly values: JsonObject;
  readonly dependencies?: readonly Dependency[];
  readonly subcharts?: readonly Subchart[];
}

/**
 * The same for what somebody sends in a form or a request: each fault with its place in the values. What takes too long is left to whoever installs the chart.
 *
 * @param id stands for the chart: its digest.
 */
export async function faultsOfOwnValues(chart: ChartSchemas, values: JsonObject, id: string): Promise<readonly FieldFault[]> {
  const verdicts = await verdictsOf({ chart, values, id, check: checkValues });
  return verdicts.flatMap(({ faults }) => faults);
}

/**
 * Holds values, laid over those of the chart, against its values.schema.json and those of its subcharts that are on, as Helm would; Helm itself is configured
 * not to, because it would fetch what the schema refers to.
 */
export async function checkChartValues(
  { digest, contents }: ChartWithSchema,
  values: JsonObject,
  check: ValuesCheck = checkValues,
): Promise<ChartVerdict> {
  const { schema, values: defaults = {}, subcharts = [], metadata } = contents;
  const own = { values: defaults, subcharts, dependencies: metadata.dependencies ?? [], ...(schema === undefined ? {} : { schema }) };
  const verdicts = await verdictsOf({ chart: own, values, id: digest, check });
  return {
    faults: verdicts.flatMap(({ of, faults }) =>
      faults.map((fault) => `The values violate the schema of ${of}: ${sentenceOfFault(fault)}`),
    ),
    unchecked: verdicts.flatMap(({ of, unchecked }) =>
      unchecked === undefined ? [] : [`The values were not completely validated against the schema of ${of}: ${unchecked}`],
    ),
  };
}

interface ToCheck {
  readonly chart: ChartSchemas;
  readonly values: JsonObject;
  readonly id: string;
  readonly check: ValuesCheck;
}

type NamedVerdict = ValuesVerdict & { readonly of: string };

async function verdictsOf({ chart, values, id, check }: ToCheck): Promise<readonly NamedVerdict[]> {
  const { schema, subcharts = [], dependencies = [] } = chart;
  if (schema === undefined && subcharts.length === 0) return [];
  const coalesced = coalesceValues({ values: chart.values, subcharts, dependencies }, values);
  if ('mismatch' in coalesced) {
    const fault = { field: coalesced.mismatch, message: 'must be an object: these are the values of a subchart' };
    return [{ of: 'the chart', faults: [fault] }];
  }
  const own = schema === undefined ? [] : [{ of: 'the chart', ...(await check({ schema, values: coalesced.values, id })) }];
  const below: NamedVerdict[] = [];
  for (const subchart of coalesced.subcharts) below.push(...(await subchartVerdict(id, subchart, check)));
  return [...own, ...below];
}

async function subchartVerdict(
  id: string,
  { path, schema, values }: EnabledSubchart,
  check: ValuesCheck,
): Promise<readonly NamedVerdict[]> {
  if (schema === undefined) return [];
  const { faults, ...verdict } = await check({ schema, values, id: `${id} ${path}` });
  const placed = faults.map(({ field = '', ...fault }) => ({ ...fault, field: `${path}${/^(\[|$)/.test(field) ? '' : '.'}${field}` }));
  return [{ of: `the subchart ${path}`, faults: placed, ...verdict }];
}

/** What is handed to a thread is copied on the way, which takes 30 ms for so much. */
const MAX_NODES = 100_000;
const MAX_CHARACTERS = 5 * 1024 * 1024;
const DEEPEST = 200;

/** Whether JSON is small enough to be handed to a thread: by its nodes, its texts and its depth. Looks at no more than that. */
export function isSmall(json: Json): boolean {
  const left = { nodes: MAX_NODES, characters: MAX_CHARACTERS };
  const visit = (value: Json | undefined, depth: number): boolean => {
    left.nodes -= 1;
    if (left.nodes < 0 || left.characters < 0 || depth > DEEPEST) return false;
    if (typeof value === 'string') left.characters -= value.length;
    if (typeof value !== 'object' || value === null) return left.characters >= 0;
    if (Array.isArray(value)) return (value as readonly Json[]).every((item) => visit(item, depth + 1));
    return Object.entries(value).every(([key, member]) => {
      left.characters -= key.length;
      return visit(member, depth + 1);
    });
  };
  return visit(json, 0);
}
