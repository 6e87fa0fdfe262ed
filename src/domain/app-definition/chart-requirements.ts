import { reachWarnings } from '../chart/inspection/reach-warnings.ts';
import { compareTexts } from '../core/compare-texts.ts';
import { listAt, textAt, textsAt } from '../core/read.ts';
import { type KubeObject, parseApiVersion, type ServedKind } from '../kubernetes/resource.ts';
import { isAllowedBy } from '../permission/grants.ts';
import { type PowerfulAccount, powerfulAccounts } from '../preflight/powerful-accounts.ts';

/** What a chart needs that the release of an instance does not have by itself, as far as rendering the chart shows. */
export interface ChartRequirements {
  /** Objects that are not in the namespace of the release. */
  readonly outside: readonly OutsideObject[];
  /** Names of the CRDs of the chart that the cluster does not have. */
  readonly crds: readonly string[];
  /** Kinds that neither the cluster serves nor a CRD of the chart defines. */
  readonly unserved: readonly { readonly apiVersion: string; readonly kind: string }[];
  /** What the deployer of Environments may not do; absent: its role could not be read. */
  readonly permissions?: readonly DeployerPermission[];
  /** Service accounts whose pods the policy of Environments rejects. */
  readonly accounts: readonly PowerfulAccount[];
}

export interface OutsideObject {
  readonly kind: string;
  readonly group: string;
  readonly name: string;
  /** Absent: it is cluster-scoped. */
  readonly namespace?: string;
  /** What the object grants or decides, a clause each. */
  readonly effects: readonly string[];
}

export interface DeployerPermission {
  readonly group: string;
  readonly resource: string;
  /** In the order of Kubernetes' docs. */
  readonly verbs: readonly string[];
}

interface RequirementsInput {
  /** The objects of the chart without its CRDs. */
  readonly objects: readonly KubeObject[];
  /** The CRDs of the chart. */
  readonly crds: readonly KubeObject[];
  /** The namespace that the chart was rendered for. */
  readonly namespace: string;
  /** The kinds that the cluster serves. */
  readonly served: readonly ServedKind[];
  /** The rules of the ClusterRole chandlery-deployer; absent: unknown. */
  readonly deployerRules?: readonly unknown[];
}

/** What Helm does to the objects of a release. */
const HELM_VERBS = ['get', 'create', 'patch', 'delete'];
const MAX_EFFECTS = 12;

export function chartRequirements({ objects, crds, namespace, served, deployerRules }: RequirementsInput): ChartRequirements {
  const servedKind = ({ apiVersion, kind }: KubeObject): ServedKind | undefined => {
    const { group, version } = parseApiVersion(apiVersion);
    return served.find((one) => one.kind === kind && one.group === group && one.version === version);
  };
  const known = objects.flatMap((object) => {
    const type = servedKind(object);
    return type === undefined ? [] : [{ object, type }];
  });
  const isOutside = ({ object, type }: (typeof known)[number]): boolean =>
    !type.namespaced || (object.metadata.namespace ?? namespace) !== namespace;
  const inside = known.filter((one) => !isOutside(one)).map(({ type }) => type);
  return {
    outside: known.filter(isOutside).map(({ object }) => outsideObject(object, namespace)),
    crds: crds.filter((crd) => !isServed(crd, served)).map(({ metadata }) => metadata.name),
    unserved: unservedKinds(objects, { servedKind, crds }),
    ...(deployerRules === undefined ? {} : { permissions: missingOf(inside, deployerRules) }),
    accounts: powerfulAccounts(objects, namespace),
  };
}

/** Whether a developer can install the chart as it is, as far as rendering shows. */
export function isInstallable({ outside, crds, unserved, permissions = [], accounts }: ChartRequirements): boolean {
  return [outside, crds, unserved, permissions, accounts].every(({ length }) => length === 0);
}

function outsideObject(object: KubeObject, namespace: string): OutsideObject {
  const { kind, apiVersion, metadata } = object;
  const reach = reachWarnings([object], namespace).map(({ message }) => message);
  return {
    kind,
    group: parseApiVersion(apiVersion).group,
    name: metadata.name,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    effects: [...rulesText(object), ...bindingText(object), ...reach].slice(0, MAX_EFFECTS),
  };
}

function rulesText(object: KubeObject): string[] {
  const rules = listAt(object, 'rules');
  if (rules.length === 0 && object.kind === 'ClusterRole' && object['aggregationRule'] === undefined) return ['it grants nothing'];
  return rules.map((rule) => {
    const [verbs, resources, urls] = ['verbs', 'resources', 'nonResourceURLs'].map((member) => textsAt(rule, member).join(', '));
    return `${verbs} on ${resources === '' ? urls : resources}`;
  });
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

function missingOf(types: readonly ServedKind[], rules: readonly unknown[]): readonly DeployerPermission[] {
  const resources = new Map(types.map(({ group, resource }) => [`${resource}.${group}`, { group, resource }]));
  return [...resources]
    .toSorted(([a], [b]) => compareTexts(a, b))
    .map(([, type]) => ({ ...type, verbs: HELM_VERBS.filter((verb) => !isAllowedBy(rules, { ...type, verb })) }))
    .filter(({ verbs }) => verbs.length > 0);
}
