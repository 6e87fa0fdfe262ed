import type { Api } from './api.ts';
import { controllerReference, isControlledBy, keyOf } from './kube-object.ts';
import type { LiveObject, Manifest, Resource } from './kube-object.ts';
import { INSTANCE, MANAGED_BY } from './managed-kind.ts';

export interface Convergence {
  readonly api: Pick<Api, 'get' | 'apply' | 'remove'>;
  readonly operator: string;
  readonly owned: readonly Resource[];
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
    if (!wanted.has(identity(child)) && child.kind !== 'PersistentVolumeClaim')
      await convergence.api.remove(resourceOf(convergence.owned, child), child);
  }
  return applied;
}

async function applyChild(
  { api, operator, owned, parent }: Convergence,
  manifest: Manifest,
  children: readonly LiveObject[],
): Promise<LiveObject> {
  const resource = resourceOf(owned, manifest);
  if (!children.some((child) => identity(child) === identity(manifest))) {
    const found = await api.get(resource, manifest.metadata.namespace, manifest.metadata.name);
    if (found !== undefined && !isControlledBy(found, parent)) throw new NameTaken(found);
  }
  return api.apply(resource, asChild(manifest, parent, operator));
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
export class NameTaken extends Error {
  override readonly name = 'NameTaken';

  constructor({ kind, metadata }: Manifest) {
    super(`The ${kind} '${metadata.name}' exists and belongs to something else: rename or delete it, or use another name`);
  }
}

function resourceOf(owned: readonly Resource[], object: Manifest): Resource {
  const resource = owned.find(({ kind }) => kind === object.kind);
  if (resource === undefined) throw new Error(`${object.kind} is not among the kinds that this operator owns`);
  return resource;
}

function identity(object: Manifest): string {
  return `${object.kind} ${keyOf(object)}`;
}
