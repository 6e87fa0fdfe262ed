import { type Cluster, ifFound } from '../../domain/kubernetes/cluster.ts';
import { CONFIG_MAP, SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { ValuesFrom } from '../../domain/operator/kind/chart-fields.ts';
import { createHash } from 'node:crypto';
import { AppError } from '../../domain/core/errors.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { redact } from '../../domain/core/secret.ts';
import { mergeLayers, provenanceOf, textsIn, type EffectiveLeaf, type ValuesLayer } from '../../domain/values/layers.ts';
import { readValuesSource, sourceName } from '../../domain/values/read-source.ts';
import { sensitiveTexts } from '../../schema/sensitive/mask.ts';

/** The values of a release, and what they came from. */
export interface ResolvedValues {
  readonly values: JsonObject;
  /** Which layer set each effective value, those of the chart aside; at most two hundred, and no values. */
  readonly provenance: readonly EffectiveLeaf[];
  /** What must not be shown anywhere. */
  readonly secrets: readonly string[];
  /** One text a source, another one whenever the source is another; no secret can be guessed from it. */
  readonly revisions: readonly string[];
}

const MAX_ORIGINS = 200;

export interface ValuesToResolve {
  readonly cluster: Pick<Cluster, 'get'>;
  /** Of the Secrets and ConfigMaps. */
  readonly namespace: string;
  /** A source that has been read already stays as it is. */
  readonly valuesFrom: readonly (ValuesFrom | ValuesSource)[];
  /** `spec.values`. */
  readonly values: JsonObject;
  /** What lies below `valuesFrom`, the lowest first. Default: nothing. */
  readonly base?: readonly ValuesLayer[];
  /** What becomes of a layer of people before it is laid over the others. Default: it stays as it is. */
  readonly permitted?: (values: JsonObject) => JsonObject;
  readonly signal: AbortSignal;
}

/**
 * Reads `spec.valuesFrom` in the namespace of the resource and lays `spec.values` over it.
 *
 * @throws AppError `ValuesInvalid` that names the object and the key.
 */
export async function resolveValues(input: ValuesToResolve): Promise<ResolvedValues> {
  const { values, base = [], permitted = (unchanged) => unchanged } = input;
  const sources = await Promise.all(input.valuesFrom.map((from) => readSource(input, from)));
  const given: readonly ValuesLayer[] = [...sources.map(({ layer }) => layer), { origin: 'spec.values', values }];
  const layers = [...base, ...given.map((layer) => ({ ...layer, values: permitted(layer.values) }))];
  const secrets = [
    ...sources.flatMap((source) => source.secrets),
    ...base.flatMap((layer) => sensitiveTexts(layer.values)),
    ...sensitiveTexts(values),
  ];
  return {
    values: mergeLayers(layers),
    provenance: provenanceOf(layers)
      .slice(0, MAX_ORIGINS)
      .map(({ path, origin }) => ({ path: redact(path, secrets), origin })),
    secrets,
    revisions: sources.map(({ revision }) => revision),
  };
}

/** Values of one source. */
export interface ValuesSource {
  readonly layer: ValuesLayer;
  readonly secrets: readonly string[];
  readonly revision: string;
}

async function readSource(input: ValuesToResolve, from: ValuesFrom | ValuesSource): Promise<ValuesSource> {
  if ('layer' in from) return from;
  const origin = sourceName(from);
  const object = await find(input, from);
  const reading = readValuesSource(object, from);
  switch (reading.kind) {
    case 'Absent':
      if (from.optional) return { layer: { origin, values: {} }, secrets: [], revision: `${origin} absent` };
      throw invalid(input, from, `${reading.why}; add it, or set optional`);
    case 'Invalid':
      throw invalid(input, from, reading.why);
    case 'Read': {
      const { values, text } = reading;
      const secrets = from.kind === 'Secret' ? textsIn(values) : [];
      return { layer: { origin, values }, secrets, revision: revisionOf(from, object, text) };
    }
    default:
      return reading satisfies never;
  }
}

async function find({ cluster, namespace, signal }: ValuesToResolve, { kind, name }: ValuesFrom): Promise<KubeObject | undefined> {
  return await ifFound(cluster.get({ ...(kind === 'Secret' ? SECRET : CONFIG_MAP), namespace, name }, { signal }));
}

/** A digest of a Secret's content, kept in labels and status, would let a short password be guessed; its version tells nothing. */
function revisionOf(from: ValuesFrom, object: KubeObject | undefined, text: string): string {
  const where = JSON.stringify([from.kind, from.name, from.key, from.targetPath ?? '']);
  if (from.kind === 'Secret') return `${where} ${object?.metadata.uid ?? ''}/${object?.metadata.resourceVersion ?? ''}`;
  return `${where} ${createHash('sha256').update(text).digest('hex')}`;
}

function invalid({ namespace }: ValuesToResolve, { kind, name }: ValuesFrom, why: string): AppError {
  return new AppError('ValuesInvalid', `values: ${kind} "${namespace}/${name}": ${why}`);
}
