import { outputName, type OutputFrom, sourceOfValues } from '../../domain/app-instance/outputs.ts';
import type { InstanceSpec, InstanceStatus } from '../../domain/app-instance/instance-kind.ts';
import type { CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import { readOutput } from '../../domain/connection/read-output.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { placeAt } from '../../domain/values/layers.ts';
import { catalogEntries } from '../app/find-app.ts';
import type { Ports } from '../ports.ts';
import { type OverlaidValues, overlaidValues, type SourceReading, unreadSource } from '../upgrade/preview-values.ts';
import { markedOf, shownObject } from './instance-masking.ts';

interface InstanceValuesInput {
  readonly namespace: string;
  readonly spec: Pick<InstanceSpec, 'valuesFrom' | 'values'>;
  readonly status: Pick<InstanceStatus, 'values'>;
}

/** The values that an instance of a chart lays over those of its chart, outputs of other instances included, as far as the actor may read them. */
export async function instanceValues(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  { namespace, spec, status }: InstanceValuesInput,
): Promise<OverlaidValues> {
  const valuesFrom = await Promise.all(
    spec.valuesFrom.map(async (entry) => {
      const { kind, from } = sourceOfValues(entry);
      return kind === 'Object' ? from : await readAs(ports, actor, { namespace, status, from });
    }),
  );
  return await overlaidValues(ports, actor, { namespace, spec: { values: spec.values, valuesFrom }, status });
}

interface OutputInput extends Omit<InstanceValuesInput, 'spec'> {
  readonly from: OutputFrom;
}

async function readAs(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor, input: OutputInput): Promise<SourceReading> {
  const { from, status } = input;
  const entry = catalogEntries(ports).find(({ summary }) => summary.group === from.group && summary.kind === from.kind);
  try {
    return entry === undefined ? faulty(input, 'no app has this kind') : await readFrom(ports, actor, { ...input, entry });
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    return unreadSource(outputName(from), status, error.missing);
  }
}

async function readFrom(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  input: OutputInput & { readonly entry: CatalogEntry },
): Promise<SourceReading> {
  const { namespace, from, entry } = input;
  const cluster = clusters.asActor(actor);
  const { group, version, plural } = entry.summary;
  const instance = await ifFound(cluster.get({ group, version, resource: plural, namespace, name: from.name }));
  if (instance === undefined) return faulty(input, 'it does not exist');
  const shown = shownObject(markedOf(entry), instance);
  const reading = await readOutput({ cluster, entries: entry.kindBlock.connection, instance, shown, key: from.key });
  if (reading.kind !== 'Read') return faulty(input, reading.why);
  const { text, secret } = reading;
  return { layer: { origin: outputName(from), values: placeAt(from.targetPath, text) }, hidden: secret, secrets: secret ? [text] : [] };
}

/** The values of before stand in for what cannot be had. */
function faulty({ namespace, from, status }: OutputInput, why: string): SourceReading {
  const stand = unreadSource(outputName(from), status);
  return from.optional ? stand : { ...stand, fault: `Cannot read the values: ${from.kind} ${namespace}/${from.name}: ${why}` };
}
