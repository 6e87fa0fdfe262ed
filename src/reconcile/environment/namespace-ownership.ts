import { ADOPT_ANNOTATION } from '../../domain/environment/environment.ts';
import { wasNamespaceOf } from '../../domain/environment/last-environment.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import { formerNameOf } from '../../domain/kubernetes/moved-from.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { listAt, textAt } from '../../domain/core/read.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { ENVIRONMENT_UID_ANNOTATION, NAMESPACE_UID_ANNOTATION } from './environment-spec.ts';

/** Whose the namespace of an Environment is. */
export type NamespaceOwnership =
  | { readonly kind: 'Missing' }
  | { readonly kind: 'Ours'; readonly namespace: KubeObject }
  | { readonly kind: 'Terminating'; readonly namespace: KubeObject; readonly why: string }
  /** It is there without an owner. `adopt` says whether the Environment asks for it, or `returns` to it because it was that of an Environment of this name. */
  | { readonly kind: 'Unowned'; readonly namespace: KubeObject; readonly adopt: 'asked' | 'returns' | 'not asked' }
  | { readonly kind: 'Foreign'; readonly owner: string }
  /** It is that of the Environment under its former name, which is going or gone, or which `stays`. */
  | { readonly kind: 'Former'; readonly namespace: KubeObject; readonly owner: string; readonly former: 'goes' | 'stays' }
  /** Operators, as `namespace/name`, are in it or have their release there. */
  | { readonly kind: 'Occupied'; readonly operators: readonly string[] };

/**
 * Whose a namespace is, by its label: names of Environments are unique in the cluster. The label counts only where a uid confirms it. So an Environment that was
 * lost with its CRD and is made again finds its namespace, and a label that somebody else wrote gives nothing away.
 *
 * @param known what else counts.
 */
export function namespaceOwnershipOf(
  environment: KubeObject,
  namespace: KubeObject | undefined,
  { installation, former }: KnownOfNamespace = {},
): NamespaceOwnership {
  if (namespace === undefined) return { kind: 'Missing' };
  const { labels = {}, deletionTimestamp } = namespace.metadata;
  const owner = labels[OURS.environmentLabel];
  if (owner !== undefined && owner !== environment.metadata.name) {
    const isFormer = owner === formerNameOf(environment) && deletionTimestamp === undefined && isConfirmed(former, namespace);
    if (!isFormer) return { kind: 'Foreign', owner };
    const stays = former !== undefined && former.metadata.deletionTimestamp === undefined;
    return { kind: 'Former', namespace, owner, former: stays ? 'stays' : 'goes' };
  }
  if (deletionTimestamp !== undefined) return { kind: 'Terminating', namespace, why: remainsOf(namespace) };
  if (owner !== undefined && isConfirmed(environment, namespace)) return { kind: 'Ours', namespace };
  const names = [environment.metadata.name, formerNameOf(environment)].filter((name) => name !== undefined);
  if (wasNamespaceOf(namespace.metadata, names, installation)) return { kind: 'Unowned', namespace, adopt: 'returns' };
  const adopt = environment.metadata.annotations?.[ADOPT_ANNOTATION] === 'true' ? 'asked' : 'not asked';
  return { kind: 'Unowned', namespace, adopt };
}

interface KnownOfNamespace {
  /** The uid of the namespace of Chandlery; absent where it is unknown, so that no Environment returns. */
  readonly installation?: string | undefined;
  /** The Environment of the former name, while there is one. */
  readonly former?: KubeObject | undefined;
}

/** Whether an Environment could take the namespace now, so that it matters who else is in it. */
export function isToBeTaken(ownership: NamespaceOwnership): boolean {
  return ownership.kind === 'Missing' || (ownership.kind === 'Unowned' && ownership.adopt !== 'not asked');
}

/** By the uid of the Environment, by what it remembers itself, or by what the namespace kept of an Environment of this name that is gone. */
function isConfirmed(environment: KubeObject | undefined, { metadata: { uid, annotations = {} } }: KubeObject): boolean {
  if (uid === undefined) return false;
  if (annotations[NAMESPACE_UID_ANNOTATION] === uid) return true;
  if (environment === undefined) return false;
  return (
    annotations[ENVIRONMENT_UID_ANNOTATION] === environment.metadata.uid || statusOf(ENVIRONMENT_KIND, environment).namespaceUID === uid
  );
}

/** Conditions of a namespace that is being deleted: what is left in it, and why Kubernetes cannot tell or delete what is in it. */
const UNFINISHED = /(?:Remaining|Failure)$/;

/** What the deletion of a namespace waits for, in the words of Kubernetes. */
export function remainsOf({ status }: KubeObject): string {
  const remaining = listAt(status, 'conditions').filter((condition) => {
    const type = textAt(condition, 'type') ?? '';
    return UNFINISHED.test(type) && textAt(condition, 'status') === 'True';
  });
  return remaining.map((condition) => textAt(condition, 'message') ?? '').join(' ');
}
