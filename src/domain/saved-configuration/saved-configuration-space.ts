import { createHash } from 'node:crypto';
import { EVERYBODY } from '../kubernetes/actor.ts';
import { OURS } from '../kubernetes/names.ts';
import { CLUSTER_ROLE, NAMESPACE, ROLE_BINDING } from '../kubernetes/resource-types.ts';
import { apiVersionOf, type KubeObject } from '../kubernetes/resource.ts';

/** A person or a group: who has a namespace of their own for saved configurations. */
export type SpaceOwner = { readonly user: string } | { readonly group: string };

/** The ClusterRole of an owner in that namespace. */
const OWNER_ROLE = 'chandlery-saved-configurations';

/** The namespace of an owner: no two have the same one, and a name of the identity provider need not be a name of the cluster. */
export function spaceOf(owner: SpaceOwner): string {
  const kind = kindOf(owner);
  return kind === 'everybody' ? 'chandlery-saved-everybody' : `chandlery-saved-${kind}-${digestOf(nameOf(owner))}`;
}

/** What makes the namespace of an owner, in this order: it, and the permissions of the owner there. */
export function spaceObjects(owner: SpaceOwner): { readonly namespace: KubeObject; readonly roleBinding: KubeObject } {
  const name = spaceOf(owner);
  const labels = { 'app.kubernetes.io/managed-by': 'chandlery' };
  const { group: apiGroup } = ROLE_BINDING;
  const subject = 'user' in owner ? { kind: 'User', name: owner.user } : { kind: 'Group', name: owner.group };
  return {
    namespace: {
      apiVersion: apiVersionOf(NAMESPACE),
      kind: NAMESPACE.kind,
      metadata: {
        name,
        labels: { ...labels, [OURS.savedConfigurationsLabel]: kindOf(owner) },
        annotations: { [OURS.savedConfigurationsOwner]: nameOf(owner) },
      },
    },
    roleBinding: {
      apiVersion: apiVersionOf(ROLE_BINDING),
      kind: ROLE_BINDING.kind,
      metadata: { name: OWNER_ROLE, namespace: name, labels },
      roleRef: { apiGroup, kind: CLUSTER_ROLE.kind, name: OWNER_ROLE },
      subjects: [{ apiGroup, ...subject }],
    },
  };
}

/** Whether a namespace is that of the owner: its label says so, which an admission policy keeps others from setting. */
export function isSpaceOf(owner: SpaceOwner, { metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return (
    metadata.name === spaceOf(owner) &&
    metadata.labels?.[OURS.savedConfigurationsLabel] === kindOf(owner) &&
    metadata.annotations?.[OURS.savedConfigurationsOwner] === nameOf(owner)
  );
}

function kindOf(owner: SpaceOwner): 'user' | 'group' | 'everybody' {
  if ('user' in owner) return 'user';
  return owner.group === EVERYBODY ? 'everybody' : 'group';
}

function nameOf(owner: SpaceOwner): string {
  return 'user' in owner ? owner.user : owner.group;
}

function digestOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 24);
}
