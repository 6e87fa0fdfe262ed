import { reachWarnings } from '../chart/inspection/reach-warnings.ts';
import { compareTexts } from '../core/compare-texts.ts';
import { listAt, textAt, textsAt } from '../core/read.ts';
import { apiVersionOf, type KubeObject, parseApiVersion, type ServedKind } from '../kubernetes/resource.ts';
import { resourcePermissions } from '../preflight/permissions-remedy.ts';
import { isAccessAllowedBy } from '../permission/grants.ts';
import { proposedRules, type ResourcePermission, roleRule } from './permission-rules.ts';
import { type PowerfulAccount, powerfulAccounts } from '../preflight/powerful-accounts.ts';
import { findMissingAccess, type ReleaseContent } from '../preflight/release-permissions.ts';

/** Requirements of a chart beyond those that every release of an instance meets, found by rendering the chart. */
export interface ChartRequirements {
  /** Objects that are not in the namespace of the release. */
  readonly outside: readonly OutsideObject[];
  /** Names of the CRDs of the chart that the cluster does not have. */
  readonly crds: readonly string[];
  /** Kinds that neither the cluster serves nor a CRD of the chart defines. */
  readonly unserved: readonly { readonly apiVersion: string; readonly kind: string }[];
  /** Permissions that the deployer of Environments lacks; absent when its role could not be read. */
  readonly permissions?: readonly ResourcePermission[];
  /** Rules for `spec.permissions` that grant those of them that an AppDefinition can grant, and nothing else; absent with `permissions`. */
  readonly permissionRules?: readonly object[];
  /** Service accounts whose pods the policy of Environments rejects. */
  readonly accounts: readonly PowerfulAccount[];
}

export interface OutsideObject {
  readonly kind: string;
  readonly group: string;
  readonly name: string;
  /** Absent: it is cluster-scoped. */
  readonly namespace?: string;
  /** Effects of the object, such as the permissions that it grants, a clause each. */
  readonly effects: readonly string[];
}

interface RequirementsInput {
  /** The objects of the chart without its CRDs. */
  readonly objects: readonly KubeObject[];
  /** The CRDs of the chart. */
  readonly crds: readonly KubeObject[];
  /** The release and the namespace that the chart was rendered for. */
  readonly release: string;
  readonly namespace: string;
  /** The kinds that the cluster serves. */
  readonly served: readonly ServedKind[];
  /** The rules of the ClusterRole chandlery-deployer; absent: unknown. */
  readonly deployerRules?: readonly unknown[];
}

const MAX_EFFECTS = 12;

export async function chartRequirements({
  objects,
  crds,
  release,
  namespace,
  served,
  deployerRules,
}: RequirementsInput): Promise<ChartRequirements> {
  const kinds = new Map(served.map((one) => [`${apiVersionOf(one)} ${one.kind}`, one]));
  const servedKind = ({ apiVersion, kind }: KubeObject): ServedKind | undefined => kinds.get(`${apiVersion} ${kind}`);
  const known = objects.flatMap((object) => {
    const kind = servedKind(object);
    return kind === undefined ? [] : [{ object, kind }];
  });
  const isOutside = ({ object, kind }: (typeof known)[number]): boolean =>
    !kind.namespaced || (object.metadata.namespace ?? namespace) !== namespace;
  const content = { release, namespace, objects: known.filter((one) => !isOutside(one)), crds: [] };
  return {
    outside: known.filter(isOutside).map(({ object }) => outsideObject(object, namespace)),
    crds: crds.filter((crd) => !isServed(crd, served)).map(({ metadata }) => metadata.name),
    unserved: unservedKinds(objects, { servedKind, crds }),
    ...(deployerRules === undefined ? {} : granted(await missingPermissions(content, deployerRules))),
    accounts: powerfulAccounts(objects, namespace),
  };
}

/** Whether a developer can install the chart as it is, as far as rendering shows. */
export function isInstallable({ outside, crds, unserved, permissions = [], accounts }: ChartRequirements): boolean {
  return [outside, crds, unserved, permissions, accounts].every(({ length }) => length === 0);
}

function granted(permissions: readonly ResourcePermission[]): Pick<ChartRequirements, 'permissions' | 'permissionRules'> {
  return { permissions, permissionRules: proposedRules(permissions).rules.map(roleRule) };
}

function outsideObject(object: KubeObject, namespace: string): OutsideObject {
  const { kind, apiVersion, metadata } = object;
  const reach = reachWarnings([object], namespace).map(({ message }) => message);
  return {
    kind,
    group: parseApiVersion(apiVersion).group,
    name: metadata.name,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    effects: effectsOf([...reach, ...bindingText(object), ...rulesText(object)]),
  };
}

/** The first effects, and the number of those that are left out. The widest ones have to come first. */
function effectsOf(effects: readonly string[]): readonly string[] {
  const left = effects.length - MAX_EFFECTS;
  return left <= 0 ? effects : [...effects.slice(0, MAX_EFFECTS), `and ${left} more`];
}

function rulesText(object: KubeObject): string[] {
  const rules = listAt(object, 'rules');
  if (rules.length === 0 && object.kind === 'ClusterRole' && object['aggregationRule'] === undefined) return ['it grants nothing'];
  return rules.map(ruleText);
}

/** `get, list on secrets named a, b and the paths /metrics` */
export function ruleText(rule: unknown): string {
  const [verbs, resources, groups, names, urls] = ['verbs', 'resources', 'apiGroups', 'resourceNames', 'nonResourceURLs'].map((member) =>
    textsAt(rule, member),
  ) as [readonly string[], readonly string[], readonly string[], readonly string[], readonly string[]];
  const known = groups.filter((group) => group !== '');
  const ofGroups = known.length === 0 ? '' : ` of ${known.join(', ')}`;
  const onResources =
    resources.length === 0 ? [] : [`${resources.join(', ')}${ofGroups}${names.length === 0 ? '' : ` named ${names.join(', ')}`}`];
  const targets = [...onResources, ...(urls.length === 0 ? [] : [`the paths ${urls.join(', ')}`])];
  return verbs.length === 0 || targets.length === 0 ? 'a rule that is incomplete' : `${verbs.join(', ')} on ${targets.join(' and ')}`;
}

function bindingText(object: KubeObject): string[] {
  const role = textAt(object, 'roleRef', 'name');
  if (role === undefined) return [];
  const subjects = listAt(object, 'subjects').map((subject) => `${textAt(subject, 'kind') ?? ''} ${textAt(subject, 'name') ?? ''}`.trim());
  return [`it gives ${textAt(object, 'roleRef', 'kind') ?? 'the role'} ${role} to ${subjects.join(', ') || 'no subject'}`];
}

function isServed(crd: KubeObject, served: readonly ServedKind[]): boolean {
  const [group, kind] = [textAt(crd.spec, 'group'), textAt(crd.spec, 'names', 'kind')];
  return served.some((one) => one.group === group && one.kind === kind);
}

interface Kinds {
  readonly servedKind: (object: KubeObject) => ServedKind | undefined;
  readonly crds: readonly KubeObject[];
}

function unservedKinds(objects: readonly KubeObject[], { servedKind, crds }: Kinds): ChartRequirements['unserved'] {
  const own = new Set(crds.map(({ spec }) => `${textAt(spec, 'group') ?? ''}/${textAt(spec, 'names', 'kind') ?? ''}`));
  const unserved = objects.filter(
    (object) => servedKind(object) === undefined && !own.has(`${parseApiVersion(object.apiVersion).group}/${object.kind}`),
  );
  const kinds = new Map(unserved.map(({ apiVersion, kind }) => [`${apiVersion} ${kind}`, { apiVersion, kind }]));
  return [...kinds].toSorted(([a], [b]) => compareTexts(a, b)).map(([, kind]) => kind);
}

/** Access reviews by the rules of the deployer, which has no account yet. */
async function missingPermissions(content: ReleaseContent, rules: readonly unknown[]): Promise<readonly ResourcePermission[]> {
  const missing = await findMissingAccess((attributes) => Promise.resolve({ allowed: isAccessAllowedBy(rules, attributes) }), content);
  const byResource = Map.groupBy(resourcePermissions(missing), ({ group, resource, name = '' }) => `${resource}.${group} ${name}`);
  return [...byResource]
    .toSorted(([a], [b]) => compareTexts(a, b))
    .flatMap(([, own]) => own.slice(0, 1).map((first) => ({ ...first, verbs: [...new Set(own.flatMap(({ verbs }) => verbs))] })));
}
