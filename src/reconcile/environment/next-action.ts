import { ADOPT_ANNOTATION } from '../../domain/environment/environment.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { EnvironmentState } from './state.ts';

/** What to do next about an Environment. */
export type EnvironmentAction =
  | { readonly kind: 'add-finalizer' }
  | { readonly kind: 'create-namespace' }
  | { readonly kind: 'adopt-namespace'; readonly namespace: KubeObject }
  | { readonly kind: 'apply'; readonly namespace: KubeObject }
  /** Nothing can be done until somebody else does something. */
  | { readonly kind: 'reject'; readonly reason: 'NamespaceTaken' | 'NamespaceExists' | 'OperatorNamespace'; readonly message: string }
  /** Its end has come. */
  | { readonly kind: 'expire' }
  | { readonly kind: 'await-removal'; readonly reason: 'NamespaceTerminating' | 'FinalizersRemaining'; readonly message: string }
  | { readonly kind: 'remove-namespace'; readonly namespace: KubeObject }
  /** The last step: takes the permissions and our label away, leaves the rest, and lets the Environment go. */
  | { readonly kind: 'release-namespace'; readonly namespace: KubeObject }
  | { readonly kind: 'finish' }
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
function actionOfRemoval({ ownership, spec, otherFinalizers }: EnvironmentState): EnvironmentAction {
  switch (ownership.kind) {
    case 'Ours':
      if (spec.reclaim === 'Delete') return { kind: 'remove-namespace', namespace: ownership.namespace };
      return otherFinalizers.length === 0
        ? { kind: 'release-namespace', namespace: ownership.namespace }
        : awaitFinalizers(otherFinalizers);
    case 'Terminating':
      return spec.reclaim === 'Delete' ? terminating(spec.namespace, ownership.why) : { kind: 'finish' };
    case 'Missing':
    case 'Unowned':
    case 'Foreign':
    case 'Occupied':
      return { kind: 'finish' };
    default:
      return ownership satisfies never;
  }
}

function terminating(namespace: string, why: string): EnvironmentAction {
  return { kind: 'await-removal', reason: 'NamespaceTerminating', message: `namespace ${namespace} is being deleted. ${why}`.trim() };
}

/** As long as the Environment cannot go, its members keep their permissions. */
function awaitFinalizers(finalizers: readonly string[]): EnvironmentAction {
  const message = `the environment is being deleted and waits for the finalizers ${finalizers.join(', ')}; its members keep their permissions until then`;
  return { kind: 'await-removal', reason: 'FinalizersRemaining', message };
}
