import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { at, listAt, numberAt, textAt } from '../../../src/domain/core/read.ts';
import { conditionsOf, findCondition, PENDING_REMOVAL } from '../../../src/domain/kubernetes/condition.ts';
import { OURS } from '../../../src/domain/kubernetes/names.ts';
import { keyOf, type KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import {
  APP_DEFINITION,
  CATALOG_SOURCE,
  CRD,
  DEPLOYMENT,
  ENVIRONMENT,
  type KnownType,
  NAMESPACE,
  OPERATOR,
  PERSISTENT_VOLUME_CLAIM,
  ROLE_BINDING,
  SUBJECT_ACCESS_REVIEW,
} from '../../../src/domain/kubernetes/resource-types.ts';
import type { Kube } from '../../../src/kube/kube.ts';
import { APP_NAMES, EMPTY_ENVIRONMENTS, ENVIRONMENTS, INSTANCE_TYPES, OPERATOR_NAMES, PEOPLE } from './catalogue.ts';

/** The kinds whose objects are the same ones for ever. */
export const KEPT_TYPES: readonly KnownType[] = [NAMESPACE, CRD, DEPLOYMENT, PERSISTENT_VOLUME_CLAIM, CATALOG_SOURCE, ...INSTANCE_TYPES];
/** The kinds whose objects may be replaced by others of the same content: a rename, or a deletion that the source heals. */
export const DECLARED_TYPES: readonly KnownType[] = [OPERATOR, APP_DEFINITION, ENVIRONMENT];

/** What a cluster is like, a line for each fact. */
export type ClusterState = ReadonlyMap<string, string>;

/** Everything that has to be as before after the last slip is undone. */
export async function readState(kube: Kube): Promise<ClusterState> {
  const state = new Map<string, string>();
  for (const type of KEPT_TYPES) {
    for (const object of await objectsOf(kube, type)) state.set(`${type.kind} ${keyOf(object)}`, `uid ${object.metadata.uid ?? ''}`);
  }
  for (const type of DECLARED_TYPES) {
    for (const object of await objectsOf(kube, type)) state.set(`${type.kind} ${keyOf(object)}`, describe(object));
  }
  for (const namespace of [...ENVIRONMENTS, ...EMPTY_ENVIRONMENTS]) {
    const { items } = await kube.asController().list(ROLE_BINDING, { namespace });
    state.set(`permissions in ${namespace}`, items.flatMap(grantsOf).sort().join('\n'));
  }
  for (const [question, answer] of await askAll(kube)) state.set(question, answer);
  return state;
}

/** What has a difference, with both. */
export function differences(before: ClusterState, after: ClusterState): readonly string[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return keys
    .filter((key) => before.get(key) !== after.get(key))
    .map((key) => `${key}: ${before.get(key) ?? 'absent'} before, ${after.get(key) ?? 'absent'} now`);
}

async function objectsOf(kube: Kube, type: KnownType): Promise<readonly KubeObject[]> {
  const { items } = await kube.asController().list(type);
  return items.filter((object) => isWatched(type, object));
}

const SPACES: readonly string[] = [...ENVIRONMENTS, OURS.systemNamespace];

/** Objects of the game, and none of those that Kubernetes makes for itself. */
export function isWatched(type: KnownType, { metadata }: KubeObject): boolean {
  if (type === NAMESPACE) return SPACES.includes(metadata.name);
  return !type.namespaced || SPACES.includes(metadata.namespace ?? '');
}

/** Its spec, its source, and whether it is as well as before. */
function describe(object: KubeObject): string {
  const { labels = {}, deletionTimestamp } = object.metadata;
  const conditions = conditionsOf(object);
  const ready = findCondition(conditions, 'Ready');
  const pending = findCondition(conditions, PENDING_REMOVAL);
  return stringifyJson({
    spec: object.spec,
    source: labels[OURS.sourceLabel] ?? '',
    ready: `${ready?.status ?? ''} ${ready?.status === 'True' ? '' : (ready?.message ?? '')}`,
    pending: pending?.message ?? '',
    deleted: deletionTimestamp ?? '',
    instances: numberAt(object.status, 'instances') ?? listAt(object.status, 'crds').map((crd) => numberAt(crd, 'instances') ?? 0),
  });
}

/** Who has which role by a RoleBinding, a line for each. */
export function grantsOf(binding: KubeObject): readonly string[] {
  const role = `${textAt(binding, 'roleRef', 'kind') ?? ''} ${textAt(binding, 'roleRef', 'name') ?? ''}`;
  return listAt(binding, 'subjects').map((subject) => `${textAt(subject, 'kind') ?? ''} ${textAt(subject, 'name') ?? ''}: ${role}`);
}

/** A question about the permissions of a person. */
export interface AccessQuestion {
  readonly title: string;
  readonly spec: object;
}

/** What each person may do in each environment, by the resources that matter to people. */
export const QUESTIONS: readonly AccessQuestion[] = ENVIRONMENTS.flatMap((namespace) =>
  PEOPLE.flatMap(({ user, groups }) =>
    [
      { verb: 'get', group: '', resource: 'pods' },
      { verb: 'delete', group: 'apps', resource: 'deployments' },
      ...INSTANCE_TYPES.slice(0, 1).map(({ group, resource }) => ({ verb: 'create', group, resource })),
      ...INSTANCE_TYPES.slice(-1).map(({ group, resource }) => ({ verb: 'create', group, resource })),
    ].map((attributes) => ({
      title: `${user} may ${attributes.verb} ${attributes.resource} in ${namespace}`,
      spec: { user, groups, resourceAttributes: { ...attributes, namespace } },
    })),
  ),
);

/** The answer of the api-server: `yes` or `no`. */
export async function ask(kube: Kube, { spec }: AccessQuestion): Promise<string> {
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: { name: '' }, spec };
  const { object } = await kube.asController().create(SUBJECT_ACCESS_REVIEW, review);
  return at(object.status, 'allowed') === true ? 'yes' : 'no';
}

async function askAll(kube: Kube): Promise<readonly (readonly [string, string])[]> {
  return await Promise.all(QUESTIONS.map(async (question) => [question.title, await ask(kube, question)] as const));
}

/** Names of Operators, AppDefinitions and Environments that hold something, so that only an approval removes them. */
export function holdsSomething(type: KnownType, name: string): boolean {
  if (type === OPERATOR) return OPERATOR_NAMES.includes(name);
  if (type === APP_DEFINITION) return APP_NAMES.includes(name);
  return ENVIRONMENTS.some((one) => one === name);
}
