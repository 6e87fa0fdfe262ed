import { parseInstanceSpec, parseInstanceStatus } from '../../../domain/app-instance/instance.ts';
import { APP_REVISION_KIND } from '../../../domain/app-definition/app-revision-kind.ts';
import { specOf } from '../../../domain/kind/kind.ts';
import { ifFound } from '../../../domain/kubernetes/cluster.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { type KubeObject, oldestFirst } from '../../../domain/kubernetes/resource.ts';
import { APP_REVISION } from '../../../domain/kubernetes/resource-types.ts';
import type { DefinitionWork } from '../observe.ts';

/** Deletes the oldest AppRevisions beyond the history limit that no instance has, or asks for. @param readInstances in full, asked only where it counts. */
export async function pruneRevisions(
  work: DefinitionWork,
  current: string,
  readInstances: () => Promise<readonly KubeObject[]>,
): Promise<void> {
  const { ports, definition, spec, signal } = work;
  const labelSelector = `${OURS.appDefinitionLabel}=${definition.metadata.name}`;
  const { items } = await ports.cluster.listMetadata(APP_REVISION, { labelSelector, signal });
  const others = items.filter(({ metadata }) => metadata.name !== current).sort(oldestFirst);
  const old = others.slice(0, Math.max(0, others.length - spec.revisionHistoryLimit));
  if (old.length === 0) return;
  const isUsed = usedBy(await readInstances());
  for (const { metadata } of old) {
    const revision = await ifFound(ports.cluster.get({ ...APP_REVISION, name: metadata.name }, { signal }));
    if (revision === undefined || isUsed(revision)) continue;
    const { name, uid } = revision.metadata;
    await ifFound(ports.cluster.delete({ ...APP_REVISION, name }, { signal, ...(uid === undefined ? {} : { uid }) }));
  }
}

function usedBy(instances: readonly KubeObject[]): (revision: KubeObject) => boolean {
  const revisions = new Set(instances.map((instance) => parseInstanceStatus(instance).revision));
  const versions = new Set(instances.map((instance) => parseInstanceSpec(instance).version));
  return (revision) => revisions.has(revision.metadata.name) || versions.has(specOf(APP_REVISION_KIND, revision).chart.version);
}
