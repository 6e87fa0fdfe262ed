import { type Cluster, ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { AppError } from '../../src/domain/core/errors.ts';
import { keyOf, type KubeObject } from '../../src/domain/kubernetes/resource.ts';
import type { KnownType } from '../../src/domain/kubernetes/resource-types.ts';
import { asLive, controllerReference, isControlledBy, type LiveObject, type Manifest } from './kube-object.ts';
import { INSTANCE, MANAGED_BY } from './managed-kind.ts';

export interface Convergence {
  readonly cluster: Pick<Cluster, 'get' | 'apply' | 'delete'>;
  readonly operator: string;
  readonly owned: readonly KnownType[];
  readonly parent: LiveObject;
}

/** Makes the children of the parent what is desired: applies each, and removes those that are not wanted any more. Returns them as they are now. */
export async function converge(
  convergence: Convergence,
  desired: readonly Manifest[],
  children: readonly LiveObject[],
): Promise<readonly LiveObject[]> {
  const applied: LiveObject[] = [];
  for (const manifest of desired) applied.push(await applyChild(convergence, manifest, children));
  const wanted = new Set(desired.map((manifest) => identity(manifest)));
  for (const child of children) {
    // Claims hold data: they go with their parent, never because something was switched off.
    if (!wanted.has(identity(child)) && child.kind !== 'PersistentVolumeClaim') await remove(convergence, child);
  }
  return applied;
}

async function applyChild(
  { cluster, operator, owned, parent }: Convergence,
  manifest: Manifest,
  children: readonly LiveObject[],
): Promise<LiveObject> {
  const type = typeOf(owned, manifest);
  const { namespace, name } = manifest.metadata;
  if (!children.some((child) => identity(child) === identity(manifest))) {
    const found = await ifFound(cluster.get({ ...type, namespace, name }));
    if (found !== undefined && !isControlledBy(found, parent)) throw nameTaken(found);
  }
  const written = await cluster.apply(type, asChild(manifest, parent, operator), { fieldManager: operator, force: 'force' });
  return asLive(written.object);
}

/** Deletes this child, not a successor of the same name. */
async function remove({ cluster, owned }: Convergence, child: LiveObject): Promise<void> {
  const { namespace, name, uid } = child.metadata;
  await ifFound(cluster.delete({ ...typeOf(owned, child), namespace, name }, { uid }));
}

/** The manifest as a child: owned by the parent, and labelled so that the operator finds it again. */
export function asChild(manifest: Manifest, parent: LiveObject, operator: string): Manifest {
  return {
    ...manifest,
    metadata: {
      ...manifest.metadata,
      labels: { ...manifest.metadata.labels, [MANAGED_BY]: operator, [INSTANCE]: parent.metadata.name },
      ownerReferences: [controllerReference(parent)],
    },
  };
}

/** Somebody else's object has the name. It is never taken over: that would overwrite it now, and delete it together with the parent. */
export function nameTaken({ kind, metadata }: KubeObject): AppError {
  const why = 'exists and belongs to something else: rename or delete it, or use another name';
  return new AppError('AlreadyExists', `The ${kind} '${metadata.name}' ${why}`);
}

function typeOf(owned: readonly KnownType[], object: Manifest): KnownType {
  const type = owned.find(({ kind }) => kind === object.kind);
  if (type === undefined) throw new Error(`${object.kind} is not among the kinds that this operator owns`);
  return type;
}

function identity(object: Manifest): string {
  return `${object.kind} ${keyOf(object)}`;
}
