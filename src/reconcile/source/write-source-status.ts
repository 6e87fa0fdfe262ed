import { isDeepStrictEqual } from 'node:util';
import { CATALOG_SOURCE } from '../../domain/kubernetes/resource-types.ts';
import type { SourceStatus } from '../../domain/source/catalog-source.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { apiVersionOf, type KubeObject } from '../../domain/kubernetes/resource.ts';
import type { SourcePorts } from './ports.ts';

const MAX_FAULTS = 100;

/** Writes the status of a CatalogSource when it differs from the one that was read with it. */
export async function writeSourceStatus(
  cluster: SourcePorts['cluster'],
  input: { readonly source: KubeObject; readonly status: SourceStatus; readonly signal: AbortSignal },
): Promise<void> {
  const { source, signal } = input;
  const status = { ...input.status, faults: input.status.faults.slice(0, MAX_FAULTS) };
  if (isDeepStrictEqual(withoutAbsent(status), withoutAbsent(source.status ?? {}))) return;
  const object = { apiVersion: apiVersionOf(CATALOG_SOURCE), kind: 'CatalogSource', metadata: { name: source.metadata.name }, status };
  await cluster.applyStatus(CATALOG_SOURCE, object, { fieldManager: OURS.fieldManager, force: 'force', signal });
}

/** As it would come back from the wire: without absent members and without empty lists, which the api-server may leave out. */
function withoutAbsent(value: object): unknown {
  const entries = Object.entries(JSON.parse(JSON.stringify(value)) as Record<string, unknown>);
  return Object.fromEntries(entries.filter(([, member]) => !(Array.isArray(member) && member.length === 0)));
}
