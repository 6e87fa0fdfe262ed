import { ADOPT_ANNOTATION } from '../../domain/environment/environment.ts';
import { finalizersRemaining, isToBeKept } from '../../domain/kubernetes/kept-object.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { ENVIRONMENT } from '../../domain/kubernetes/resource-types.ts';
import type { EnvironmentState } from './state.ts';

/** What the deletion of an Environment waits for. */
type RemovalReason = 'NamespaceTerminating' | 'FinalizersRemaining' | 'KeepPending' | 'KeepRejected';

/** What to do next about an Environment. */
export type EnvironmentAction =
  | { readonly kind: 'add-finalizer' }
  | { readonly kind: 'create-namespace' }
  | { readonly kind: 'adopt-namespace'; readonly namespace: KubeObject }
  /** It is that of the Environment under its former name. */
  | { readonly kind: 'take-over-namespace'; readonly namespace: KubeObject }
  | { readonly kind: 'await-move'; readonly reason: 'MovePending' | 'Moving'; readonly message: string }
  | { readonly kind: 'apply'; readonly namespace: KubeObject }
  /** Nothing can be done until somebody else does something. */
  | { readonly kind: 'reject'; readonly reason: 'NamespaceTaken' | 'NamespaceExists' | 'OperatorNamespace'; readonly message: string }
  /** Its end has come. */
  | { readonly kind: 'expire' }
  | { readonly kind: 'await-removal'; readonly reason: RemovalReason; readonly message: string }
  | { readonly kind: 'remove-namespace'; readonly namespace: KubeObject }
  /** The last step: takes the permissions and our label away, leaves the rest, and lets the Environment go. */
  | { readonly kind: 'release-namespace'; readonly namespace: KubeObject }
  /** @property successor the Environment that has taken the namespace over. */
  | { readonly kind: 'finish'; readonly successor?: KubeObject }
  | { readonly kind: 'rest' };

/** One act for each state. */
export function nextEnvironmentAction(state: EnvironmentState): EnvironmentAction {
  if (state.deleting === 'deleting') return state.finalizer === 'present' ? actionOfRemoval(state) : { kind: 'rest' };
  if (state.finalizer === 'missing') return { kind: 'add-finalizer' };
  if (state.expiry === 'Due' && state.keeper === undefined) return { kind: 'expire' };
  const { ownership, spec } = state;
  switch (ownership.kind) {
    case 'Missing':
      return { kind: 'create-namespace' };
    case 'Ours':
      return { kind: 'apply', namespace: ownership.namespace };
    case 'Terminating':
      return terminating(spec.namespace, ownership.why);
    case 'Foreign': {
      const message = `namespace ${spec.namespace} belongs to the environment ${ownership.owner}; choose another one`;
      return { kind: 'reject', reason: 'NamespaceTaken', message };
    }
    case 'Former': {
      if (ownership.former === 'goes') return { kind: 'take-over-namespace', namespace: ownership.namespace };
      const { owner } = ownership;
      const message = `namespace ${spec.namespace} belongs to the environment ${owner}, the former name of this one; it moves when the environment ${owner} is deleted`;
      return { kind: 'await-move', reason: 'MovePending', message };
    }
    case 'Occupied': {
      const message = `namespace ${spec.namespace} is used by the Operator ${ownership.operators.join(', ')}; choose another one, or move the Operator`;
      return { kind: 'reject', reason: 'OperatorNamespace', message };
    }
    case 'Unowned': {
      if (ownership.adopt !== 'not asked') return { kind: 'adopt-namespace', namespace: ownership.namespace };
      const message = `namespace ${spec.namespace} already exists; choose another one, or annotate the environment with ${ADOPT_ANNOTATION}=true to adopt it`;
      return { kind: 'reject', reason: 'NamespaceExists', message };
    }
    default:
      return ownership satisfies never;
  }
}

/** What is not ours is left alone. */
function actionOfRemoval({ environment, ownership, spec, move }: EnvironmentState): EnvironmentAction {
  if (move?.kind === 'Begun') return moving(spec.namespace, move.successor);
  if (move?.kind === 'Done') return { kind: 'finish', successor: move.successor };
  switch (ownership.kind) {
    case 'Ours':
      if (spec.reclaim === 'Delete' && move?.kind !== 'Aborted') return { kind: 'remove-namespace', namespace: ownership.namespace };
      return release(environment, ownership.namespace);
    case 'Terminating':
      return spec.reclaim === 'Delete' ? terminating(spec.namespace, ownership.why, environment) : { kind: 'finish' };
    case 'Missing':
    case 'Unowned':
    case 'Foreign':
    case 'Former':
    case 'Occupied':
      return { kind: 'finish' };
    default:
      return ownership satisfies never;
  }
}

function release(environment: KubeObject, namespace: KubeObject): EnvironmentAction {
  const wait = finalizersRemaining(ENVIRONMENT, environment, 'its members keep their permissions until then');
  return wait === undefined ? { kind: 'release-namespace', namespace } : { kind: 'await-removal', ...wait };
}

function moving(namespace: string, { metadata: { name } }: KubeObject): EnvironmentAction {
  const message = `the environment is renamed to ${name}, which takes over namespace ${namespace}; if that does not end, see the conditions of ${name}`;
  return { kind: 'await-move', reason: 'Moving', message };
}

function terminating(namespace: string, why: string, deleted?: KubeObject): EnvironmentAction {
  const late =
    deleted !== undefined && isToBeKept(deleted)
      ? 'The environment cannot be kept any more: a namespace that is being deleted cannot be kept.'
      : '';
  const message = [`namespace ${namespace} is being deleted.`, late, why].filter((sentence) => sentence !== '').join(' ');
  return { kind: 'await-removal', reason: 'NamespaceTerminating', message };
}
