import type { MissingPermission } from '../core/errors.ts';
import { isObject, listAt, textAt, textsAt } from '../core/read.ts';
import type { AccessReviewStatus, NonResourceAttributes, ResourceAttributes } from '../kubernetes/cluster.ts';
import { type KubeObject, parseApiVersion, type ServedKind } from '../kubernetes/resource.ts';

/** What is about to be installed. */
export interface ReleaseContent {
  readonly release: string;
  readonly namespace: string;
  /** What the chart renders without its CRDs, each object with its kind where the cluster serves it. */
  readonly objects: readonly { readonly object: KubeObject; readonly kind: ServedKind | undefined }[];
  readonly crds: readonly KubeObject[];
}

/** What a permission is for: resources in one place, or a path that is no resource, such as `/metrics`. */
export type AccessTarget = Omit<MissingPermission, 'verb'> | { readonly path: string };

/** Permissions on one target that the account lacks to install a chart. */
export interface MissingAccess {
  readonly target: AccessTarget;
  readonly verbs: readonly string[];
  /** `Deployment team/x`, sorted. */
  readonly objects: readonly string[];
  /** `Grant`: a role of the chart grants it, and Kubernetes lets nobody grant what they do not have. */
  readonly use: 'Object' | 'Grant';
  /** The list below `rbac.operators` in the values of Chandlery's chart that has to name it. */
  readonly setting: 'rules' | 'apiGroups' | 'namespaces';
}

type Review = (attributes: ResourceAttributes | NonResourceAttributes) => Promise<Pick<AccessReviewStatus, 'allowed'>>;

interface Need {
  readonly target: AccessTarget;
  readonly verb: string;
  readonly object: string;
  readonly use: MissingAccess['use'];
  readonly setting: MissingAccess['setting'];
}

const RBAC = 'rbac.authorization.k8s.io';
/** What Helm does with an object in the course of time. */
const VERBS = ['get', 'create', 'patch', 'delete'];
/** What Helm does with the Secrets of its history. */
const RECORD_VERBS = ['get', 'list', 'create', 'update', 'delete'];
const WRITE = ['create', 'update', 'patch', 'delete'];
/** What the roles of an App grant. */
const APP_VERBS = ['get', 'list', 'watch', ...WRITE, ...WRITE.map((verb) => `impersonate-on:user-info:${verb}`)];
const AT_ONCE = 16;
/** Beyond, nobody asks: a chart whose roles name so many permissions is written to exhaust somebody. */
const MAX_NEEDS = 3_000;

/**
 * What the account that installs charts may not do although a chart needs it, by access reviews alone: each rendered object, what its roles and bindings grant, the
 * roles for the kinds of its CRDs, and the Secret of the Helm release. Nothing is written. Sorted by the order of the objects.
 *
 * @param review a SelfSubjectAccessReview as that account.
 */
export async function findMissingAccess(review: Review, content: ReleaseContent): Promise<readonly MissingAccess[]> {
  if ((await review({ verb: '*', group: '*', resource: '*' })).allowed) return [];
  const mayEscalate = (await review({ verb: 'escalate', group: RBAC, resource: 'clusterroles' })).allowed;
  const needs = [...needsOf(content, mayEscalate).take(MAX_NEEDS)];
  const asked = new Map(needs.map((need) => [questionOf(need), need]));
  const denied = new Set<string>();
  const questions = [...asked];
  for (let from = 0; from < questions.length; from += AT_ONCE) {
    const answers = questions.slice(from, from + AT_ONCE).map(async ([question, need]) => {
      if (!(await review(attributesOf(need))).allowed) denied.add(question);
    });
    await Promise.all(answers);
  }
  return joined(needs.filter((need) => denied.has(questionOf(need))));
}

/** One after the other, because a few rules of a hostile role stand for millions. */
function* needsOf(content: ReleaseContent, mayEscalate: boolean): Generator<Need> {
  yield* recordNeeds(content);
  yield* content.crds.flatMap(crdNeeds);
  for (const placed of content.objects) yield* objectNeeds(placed, content);
  if (!mayEscalate) for (const crd of content.crds) yield* appNeeds(crd);
  for (const { object } of content.objects) yield* grantNeeds(object, content, mayEscalate);
}

/** The kind of an object of the chart: served, or defined by the chart itself. */
function kindIn(
  { crds }: ReleaseContent,
  { apiVersion, kind }: KubeObject,
): Pick<ServedKind, 'group' | 'resource' | 'namespaced'> | undefined {
  const { group } = parseApiVersion(apiVersion);
  const crd = crds.find(({ spec }) => textAt(spec, 'group') === group && textAt(spec, 'names', 'kind') === kind);
  const resource = textAt(crd?.spec, 'names', 'plural');
  return resource === undefined ? undefined : { group, resource, namespaced: textAt(crd?.spec, 'scope') === 'Namespaced' };
}

function objectNeeds({ object, kind }: ReleaseContent['objects'][number], content: ReleaseContent): Need[] {
  const served = kind ?? kindIn(content, object);
  if (served === undefined) return [];
  const { group, resource } = served;
  const namespace = served.namespaced ? (object.metadata.namespace ?? content.namespace) : undefined;
  const isRecordLike = group === '' && (resource === 'secrets' || resource === 'configmaps') && namespace === content.namespace;
  const setting = isOwnGroup(content, group) ? 'apiGroups' : isRecordLike ? 'namespaces' : 'rules';
  const target = { group, resource, ...(namespace === undefined ? {} : { namespace }) };
  const name = `${object.kind} ${namespace === undefined ? '' : `${namespace}/`}${object.metadata.name}`;
  return VERBS.map((verb) => ({ target, verb, object: name, use: 'Object', setting }));
}

function isOwnGroup({ crds }: ReleaseContent, group: string): boolean {
  return crds.some(({ spec }) => textAt(spec, 'group') === group);
}

/** Kubernetes lets nobody write a role, or bind one, that grants more than they have, unless they may `escalate` or `bind`. */
function* grantNeeds(object: KubeObject, content: ReleaseContent, mayEscalate: boolean): Generator<Need> {
  if (parseApiVersion(object.apiVersion).group !== RBAC) return;
  const isNamespaced = object.kind === 'Role' || object.kind === 'RoleBinding';
  const namespace = object.metadata.namespace ?? content.namespace;
  const place = isNamespaced ? { namespace } : {};
  const name = `${object.kind} ${isNamespaced ? `${namespace}/` : ''}${object.metadata.name}`;
  const grant = { object: name, use: 'Grant', setting: 'rules' } as const;
  const settingOf = (target: AccessTarget, verb: string): MissingAccess['setting'] =>
    'group' in target && isOwnGroup(content, target.group) && APP_VERBS.includes(verb) ? 'apiGroups' : 'rules';
  switch (object.kind) {
    case 'ClusterRole':
    case 'Role': {
      if (mayEscalate) return;
      const role = { group: RBAC, resource: 'clusterroles', name: object.metadata.name };
      if (isObject(object['aggregationRule'])) yield { ...grant, target: role, verb: 'escalate' };
      for (const rule of listAt(object, 'rules'))
        for (const target of ruleTargets(rule, place))
          for (const verb of textsAt(rule, 'verbs')) yield { ...grant, target, verb, setting: settingOf(target, verb) };
      return;
    }
    case 'ClusterRoleBinding':
    case 'RoleBinding': {
      const target = boundRole(object, namespace);
      const isOwn = content.objects.some(({ object: { kind, metadata } }) => kind === target.kind && metadata.name === target.role.name);
      // What a role of the chart grants was checked for the role itself.
      if (!isOwn) yield { ...grant, target: target.role, verb: 'bind' };
      return;
    }
    default:
  }
}

function* ruleTargets(rule: unknown, place: { readonly namespace?: string }): Generator<AccessTarget> {
  const names = textsAt(rule, 'resourceNames');
  for (const group of textsAt(rule, 'apiGroups'))
    for (const resource of textsAt(rule, 'resources')) {
      const target = { group, resource, ...place };
      if (names.length === 0) yield target;
      for (const name of names) yield { ...target, name };
    }
  for (const path of textsAt(rule, 'nonResourceURLs')) yield { path };
}

function boundRole(binding: KubeObject, namespace: string) {
  const [kind, name] = [textAt(binding, 'roleRef', 'kind') ?? '', textAt(binding, 'roleRef', 'name') ?? ''];
  const role = kind === 'Role' ? { group: RBAC, resource: 'roles', name, namespace } : { group: RBAC, resource: 'clusterroles', name };
  return { kind, role };
}

function crdNeeds({ metadata }: KubeObject): Need[] {
  const target = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
  return VERBS.map((verb) => ({ target, verb, object: `CustomResourceDefinition ${metadata.name}`, use: 'Object', setting: 'rules' }));
}

/** For each kind of a chart, Chandlery makes roles that let people use it. */
function appNeeds({ metadata, spec }: KubeObject): Need[] {
  const target = { group: textAt(spec, 'group') ?? '', resource: textAt(spec, 'names', 'plural') ?? '' };
  return APP_VERBS.map((verb) => ({
    target,
    verb,
    object: `the roles of the kind ${metadata.name}`,
    use: 'Grant',
    setting: 'apiGroups',
  }));
}

function recordNeeds({ release, namespace }: ReleaseContent): Need[] {
  const target = { group: '', resource: 'secrets', namespace };
  return RECORD_VERBS.map((verb) => ({
    target,
    verb,
    object: `the record of the release ${release}`,
    use: 'Object',
    setting: 'namespaces',
  }));
}

function questionOf({ target, verb }: Need): string {
  return JSON.stringify([verb, 'path' in target ? target.path : [target.group, target.resource, target.namespace, target.name]]);
}

function attributesOf({ target, verb }: Need): ResourceAttributes | NonResourceAttributes {
  if ('path' in target) return { verb, path: target.path };
  const [resource = '', subresource] = target.resource.split('/');
  return { ...target, verb, resource, ...(subresource === undefined ? {} : { subresource }) };
}

function joined(needs: readonly Need[]): MissingAccess[] {
  const groups = Object.values(Object.groupBy(needs, ({ target, use, setting }) => JSON.stringify([target, use, setting])));
  return groups.flatMap((group = []) => {
    const [first] = group;
    if (first === undefined) return [];
    const { target, use, setting } = first;
    const [verbs, objects] = [group.map(({ verb }) => verb), group.map(({ object }) => object)].map((all) => [...new Set(all)]);
    return [{ target, use, setting, verbs: verbs ?? [], objects: objects ?? [] }];
  });
}
