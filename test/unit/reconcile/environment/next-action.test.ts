import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { ADOPT_ANNOTATION } from '../../../../src/domain/environment/environment.ts';
import { LAST_ENVIRONMENT, LAST_ENVIRONMENT_UID, LAST_INSTALLATION } from '../../../../src/domain/environment/last-environment.ts';
import { operatorsIn } from '../../../../src/domain/kubernetes/reserved-namespace.ts';
import { parseEnvironment } from '../../../../src/reconcile/environment/environment-spec.ts';
import { nextEnvironmentAction, type EnvironmentAction } from '../../../../src/reconcile/environment/next-action.ts';
import type { EnvironmentState } from '../../../../src/reconcile/environment/state.ts';
import { namespaceOwnershipOf, type NamespaceOwnership } from '../../../../src/reconcile/environment/namespace-ownership.ts';

const LABEL = 'chandlery.dev/environment';
const ENVIRONMENT_UID = 'chandlery.dev/environment-uid';
const NAMESPACE_UID = 'chandlery.dev/namespace-uid';
const FINALIZER = 'chandlery.dev/finalizer';

interface World {
  readonly finalizers?: readonly string[];
  readonly deleting?: boolean;
  readonly reclaim?: string;
  readonly annotations?: Record<string, string>;
  /** The labels of the namespace; absent when there is no namespace. */
  readonly namespace?: Record<string, string>;
  readonly terminating?: boolean;
  /** The annotations of the namespace; default: the uid of this Environment. Its own uid is `n1`. */
  readonly uids?: Record<string, string>;
  readonly expiry?: EnvironmentState['expiry'];
  readonly keeper?: string;
  /** The uid of the namespace in the status of the Environment. */
  readonly remembered?: string;
  /** The uid of the namespace of Chandlery; default `i1`. */
  readonly installation?: string;
  /** The Environment of the former name. */
  readonly former?: 'staying' | 'deleting';
  readonly move?: EnvironmentState['move'];
}

function stateOf(world: World): EnvironmentState {
  const environment: KubeObject = {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'Environment',
    metadata: { name: 'team-a', uid: 'e1', finalizers: world.finalizers ?? [FINALIZER], annotations: world.annotations ?? {} },
    spec: { reclaim: world.reclaim ?? 'Retain' },
    status: world.remembered === undefined ? {} : { namespaceUID: world.remembered },
  };
  const ended = world.terminating === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  const status = {
    conditions: [
      { type: 'NamespaceDeletionDiscoveryFailure', status: 'True', message: 'stale GroupVersion discovery: agg.example.com/v1.' },
      { type: 'NamespaceDeletionContentFailure', status: 'False', message: 'All content successfully deleted.' },
      { type: 'NamespaceContentRemaining', status: 'True', message: 'caches.example.com has 1 resource instances.' },
    ],
  };
  const namespace = world.namespace && {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'team-a', uid: 'n1', labels: world.namespace, annotations: world.uids ?? { [ENVIRONMENT_UID]: 'e1' }, ...ended },
    status,
  };
  return {
    environment,
    spec: parseEnvironment(environment, { projectPrefix: 'oidc:' }),
    finalizer: environment.metadata.finalizers?.includes(FINALIZER) === true ? 'present' : 'missing',
    deleting: world.deleting === true ? 'deleting' : 'staying',
    ownership: namespaceOwnershipOf(environment, namespace, { installation: world.installation ?? 'i1', former: formerOf(world) }),
    ...(world.expiry === undefined ? {} : { expiry: world.expiry }),
    ...(world.keeper === undefined ? {} : { keeper: world.keeper }),
    ...(world.move === undefined ? {} : { move: world.move }),
  };
}

function formerOf({ former }: World): KubeObject | undefined {
  if (former === undefined) return undefined;
  const ending = former === 'deleting' ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  return { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: 'team-b', uid: 'e2', ...ending } };
}

const OURS = { [LABEL]: 'team-a' };
const left = (name: string): Record<string, string> => ({
  [LAST_ENVIRONMENT]: name,
  [LAST_ENVIRONMENT_UID]: 'e0',
  [LAST_INSTALLATION]: 'i1',
});
const FORMERS = {
  namespace: { [LABEL]: 'team-b' },
  uids: { [ENVIRONMENT_UID]: 'e2' },
  annotations: { 'chandlery.dev/moved-from': 'team-b' },
};
const SUCCESSOR: KubeObject = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: 'team-c' } };
const CASES: readonly (readonly [string, World, EnvironmentAction['kind'], RegExp?])[] = [
  ['a new one gets its finalizer before anything else', { finalizers: [] }, 'add-finalizer'],
  ['without a namespace, one is made', {}, 'create-namespace'],
  ['after its expiry it stays for its grace period', { namespace: OURS, expiry: 'Expired' }, 'apply'],
  ['after its grace period it ends', { namespace: OURS, expiry: 'Due' }, 'expire'],
  ['what would be made again at once does not end by itself', { namespace: OURS, expiry: 'Due', keeper: 'CatalogSource catalog' }, 'apply'],
  ['its own namespace is applied', { namespace: OURS }, 'apply'],
  ['a namespace that somebody made is not taken', { namespace: {} }, 'reject', /already exists/],
  ['a namespace that somebody made is taken when asked', { namespace: {}, annotations: { [ADOPT_ANNOTATION]: 'true' } }, 'adopt-namespace'],
  ['anything but "true" does not ask', { namespace: {}, annotations: { [ADOPT_ANNOTATION]: 'yes' } }, 'reject', /already exists/],
  ['a namespace that an environment of its name left is taken back', { namespace: {}, uids: left('team-a') }, 'adopt-namespace'],
  ['a namespace that another environment left is not taken', { namespace: {}, uids: left('team-b') }, 'reject', /already exists/],
  [
    'a namespace that an environment of another installation left is not taken',
    { namespace: {}, uids: left('team-a'), installation: 'i2' },
    'reject',
    /already exists/,
  ],
  ['a namespace that it remembers is its own', { namespace: OURS, uids: {}, remembered: 'n1' }, 'apply'],
  [
    'the namespace of an environment of its name that was lost is its own',
    { namespace: OURS, uids: { [ENVIRONMENT_UID]: 'e0', [NAMESPACE_UID]: 'n1' } },
    'apply',
  ],
  ['a label without a uid reserves nothing', { namespace: OURS, uids: {} }, 'reject', /already exists/],
  [
    'a label that was copied from another namespace reserves nothing',
    { namespace: OURS, uids: { [ENVIRONMENT_UID]: 'e0', [NAMESPACE_UID]: 'n0' }, remembered: 'n0' },
    'reject',
    /already exists/,
  ],
  ['deleting does not touch a namespace with a label alone', { deleting: true, reclaim: 'Delete', namespace: OURS, uids: {} }, 'finish'],
  ["another environment's namespace is rejected", { namespace: { [LABEL]: 'team-b' } }, 'reject', /belongs to the environment team-b/],
  [
    "another environment's namespace is rejected whatever is asked",
    { namespace: { [LABEL]: 'team-b' }, annotations: { [ADOPT_ANNOTATION]: 'true' } },
    'reject',
    /team-b/,
  ],
  [
    'the namespace of its former name is waited for while that one stays',
    { ...FORMERS, former: 'staying' },
    'await-move',
    /team-b is deleted/,
  ],
  [
    'the namespace of its former name is taken over when that one is being deleted',
    { ...FORMERS, former: 'deleting' },
    'take-over-namespace',
  ],
  [
    'the namespace of its former name is taken over when that one is gone',
    { ...FORMERS, uids: { [NAMESPACE_UID]: 'n1' } },
    'take-over-namespace',
  ],
  ['a label of its former name without a uid gives nothing away', { ...FORMERS, uids: {}, former: 'deleting' }, 'reject', /belongs to/],
  ['the namespace that its former name left is taken back', { ...FORMERS, namespace: {}, uids: left('team-b') }, 'adopt-namespace'],
  [
    'a renamed one waits until its new name has the namespace, whatever reclaim says',
    { deleting: true, reclaim: 'Delete', namespace: OURS, move: { kind: 'Begun', successor: SUCCESSOR } },
    'await-move',
    /renamed to team-c/,
  ],
  ['a renamed one ends when its new name has the namespace', { deleting: true, move: { kind: 'Done', successor: SUCCESSOR } }, 'finish'],
  [
    'a renamed one whose new name is gone again keeps its namespace',
    { deleting: true, reclaim: 'Delete', namespace: OURS, move: { kind: 'Aborted' } },
    'release-namespace',
  ],
  [
    'a namespace on its way out is waited for',
    { namespace: OURS, terminating: true },
    'await-removal',
    /is being deleted\. stale GroupVersion discovery: agg\.example\.com\/v1\. caches\.example\.com has 1/,
  ],
  ['deleting with Delete removes the namespace', { deleting: true, reclaim: 'Delete', namespace: OURS }, 'remove-namespace'],
  [
    'deleting with Delete waits until the namespace is gone',
    { deleting: true, reclaim: 'Delete', namespace: OURS, terminating: true },
    'await-removal',
  ],
  ['deleting with Delete ends when the namespace is gone', { deleting: true, reclaim: 'Delete' }, 'finish'],
  ['deleting with Retain takes the permissions away', { deleting: true, namespace: OURS }, 'release-namespace'],
  [
    'deleting with Retain leaves the permissions while somebody else holds the environment',
    { deleting: true, finalizers: [FINALIZER, 'example.com/other'], namespace: OURS },
    'await-removal',
    /waits for the finalizers example\.com\/other/,
  ],
  ['deleting with Retain ends when the namespace is nobody’s', { deleting: true, namespace: {} }, 'finish'],
  ["deleting never touches another's namespace", { deleting: true, reclaim: 'Delete', namespace: { [LABEL]: 'team-b' } }, 'finish'],
  ['deleting never touches a namespace without an owner', { deleting: true, reclaim: 'Delete', namespace: {} }, 'finish'],
  [
    'one that is deleted without our finalizer is left alone',
    { deleting: true, finalizers: ['example.com/other'], namespace: OURS },
    'rest',
  ],
];

describe('operators in the namespace of an environment', () => {
  const operator = (namespace: string, name: string, spec: object): KubeObject => {
    return { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata: { namespace, name }, spec };
  };

  test('are those that are in it, and those whose release is there', () => {
    const operators = [
      operator('team-a', 'inside', { targetNamespace: 'elsewhere' }),
      operator('chandlery-system', 'outside', { targetNamespace: 'team-a' }),
      operator('chandlery-system', 'other', {}),
    ];
    assert.deepEqual(operatorsIn('team-a', operators), ['chandlery-system/outside', 'team-a/inside']);
  });

  test('keep an environment from taking it, and not from ending', () => {
    const ownership: NamespaceOwnership = { kind: 'Occupied', operators: ['chandlery-system/cache'] };
    const act = nextEnvironmentAction({ ...stateOf({}), ownership });
    assert.equal(act.kind, 'reject');
    assert.match('message' in act ? act.message : '', /used by the Operator chandlery-system\/cache/);
    assert.equal(nextEnvironmentAction({ ...stateOf({ deleting: true }), ownership }).kind, 'finish');
  });
});

describe('the next action for an environment', () => {
  for (const [reason, world, kind, message] of CASES) {
    test(reason, () => {
      const act = nextEnvironmentAction(stateOf(world));
      assert.equal(act.kind, kind);
      if (message !== undefined) assert.match('message' in act ? act.message : '', message);
    });
  }
});
