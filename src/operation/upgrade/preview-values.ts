import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { CONFIG_MAP, permissionTo, SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { ValuesFrom } from '../../domain/operator/kind/chart-fields.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import type { OperatorSpec } from '../../domain/operator/operator-spec.ts';
import type { OperatorStatus } from '../../domain/operator/operator-status.ts';
import type { Json, JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { namesOf } from '../../domain/upgrade/preview/value-changes.ts';
import { mergeLayers, textsIn, type ValuesLayer } from '../../domain/values/layers.ts';
import { readValuesSource, sourceName } from '../../domain/values/read-source.ts';
import { sensitiveTexts } from '../../schema/sensitive/mask.ts';
import type { Ports } from '../ports.ts';

/** The values that an Operator or an instance lays over those of its chart, as far as the actor may read them. */
export interface OverlaidValues {
  /** Without the chart's own, the lowest first. */
  readonly layers: readonly ValuesLayer[];
  /** Origins whose values nobody is shown. */
  readonly hidden: ReadonlySet<string>;
  readonly secrets: readonly string[];
  readonly missing: readonly MissingPermission[];
  /** Sources that cannot be read by anybody, a sentence each. */
  readonly faults: readonly string[];
}

export interface ValuesInput {
  /** Of the Operator, or of the instance. */
  readonly namespace: string;
  /** A source that has been read already stays as it is. */
  readonly spec: Pick<OperatorSpec, 'values'> & { readonly valuesFrom: readonly (ValuesFrom | SourceReading)[] };
  readonly status: Pick<OperatorStatus, 'values'>;
}

/** What stands where a value may not be read: the same on both sides of a comparison. */
export const PLACEHOLDER = 'not-readable';

/**
 * Reads `spec.valuesFrom` as the actor. Of a source that the actor may not read, the places are known from the status, and a word stands in
 * each.
 */
export async function overlaidValues(ports: Pick<Ports, 'clusters'>, actor: Actor, input: ValuesInput): Promise<OverlaidValues> {
  const readings = await Promise.all(
    input.spec.valuesFrom.map(async (from) => ('layer' in from ? from : await readAs(ports, actor, { ...input, from }))),
  );
  const own: ValuesLayer = { origin: 'spec.values', values: input.spec.values };
  return {
    layers: [...readings.map(({ layer }) => layer), own],
    hidden: new Set(readings.filter(({ hidden }) => hidden).map(({ layer }) => layer.origin)),
    secrets: [...readings.flatMap(({ secrets }) => secrets), ...sensitiveTexts(input.spec.values)],
    missing: readings.flatMap(({ missing }) => (missing === undefined ? [] : [missing])),
    faults: readings.flatMap(({ fault }) => (fault === undefined ? [] : [fault])),
  };
}

/** What a source gives, as far as the actor may read it. */
export interface SourceReading {
  readonly layer: ValuesLayer;
  readonly hidden: boolean;
  readonly secrets: readonly string[];
  readonly missing?: MissingPermission;
  readonly fault?: string;
}

async function readAs(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  input: ValuesInput & { readonly from: ValuesFrom },
): Promise<SourceReading> {
  const { namespace, from } = input;
  const type = from.kind === 'Secret' ? SECRET : CONFIG_MAP;
  const ref = { ...type, namespace, name: from.name };
  try {
    return readingOf(await ifFound(clusters.asActor(actor).get(ref)), input);
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    const missing = error.missing ?? { ...permissionTo('get', type), namespace, name: from.name };
    return unreadSource(sourceName(from), input.status, missing);
  }
}

function readingOf(object: KubeObject | undefined, { namespace, from }: ValuesInput & { readonly from: ValuesFrom }): SourceReading {
  const origin = sourceName(from);
  const reading = readValuesSource(object, from);
  const hidden = from.kind === 'Secret';
  if (reading.kind === 'Read') {
    const secrets = hidden ? textsIn(reading.values) : [];
    return { layer: { origin, values: reading.values }, hidden, secrets };
  }
  const empty = { layer: { origin, values: {} }, hidden, secrets: [] };
  if (reading.kind === 'Absent' && from.optional) return empty;
  return { ...empty, fault: `Cannot read the values: ${from.kind} ${namespace}/${from.name}: ${reading.why}` };
}

/** A source that the actor may not read: a word stands in each place that the status knows of. */
export function unreadSource(origin: string, status: ValuesInput['status'], missing?: MissingPermission): SourceReading {
  const layers = status.values.filter((leaf) => leaf.origin === origin).map(({ path }) => ({ origin, values: nested(namesOf(path)) }));
  return { layer: { origin, values: mergeLayers(layers) }, hidden: true, secrets: [], ...(missing === undefined ? {} : { missing }) };
}

function nested(names: readonly string[]): JsonObject {
  const [first = '', ...rest] = names;
  return Object.fromEntries([[first, rest.reduceRight<Json>((value, name) => Object.fromEntries([[name, value]]), PLACEHOLDER)]]);
}
