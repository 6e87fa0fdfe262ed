import type { Actor } from '../../domain/kubernetes/actor.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { CatalogFault } from '../../domain/operator/operator.ts';
import { listAt, numberAt, textAt } from '../../domain/core/read.ts';
import type { Ports } from '../ports.ts';

const SOURCES = { group: OURS.group, version: OURS.version, resource: 'catalogsources' } as const;

/** The faults of all CatalogSources, read as the actor; `Forbidden` for whoever is not an admin. Sorted by source, file and line. */
export async function listFaults(ports: Pick<Ports, 'clusters'>, actor: Actor): Promise<CatalogFault[]> {
  const { items } = await ports.clusters.asActor(actor).list(SOURCES);
  return items
    .flatMap((source) => listAt(source.status, 'faults').map((fault) => faultOf(source.metadata.name, fault)))
    .sort((a, b) => a.source.localeCompare(b.source) || a.file.localeCompare(b.file) || a.line - b.line);
}

function faultOf(source: string, fault: unknown): CatalogFault {
  const resource = textAt(fault, 'resource');
  return {
    source,
    file: textAt(fault, 'file') ?? '',
    line: numberAt(fault, 'line') ?? 0,
    column: numberAt(fault, 'column') ?? 0,
    ...(resource === undefined ? {} : { resource }),
    message: textAt(fault, 'message') ?? '',
  };
}
