import { isDeepStrictEqual } from 'node:util';
import { isAppAllowed } from '../../domain/environment/allowed-apps.ts';
import type { OperatorKinds } from '../../domain/catalog/operator-kinds.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { ADMISSION_POLICY, ADMISSION_POLICY_BINDING } from '../../domain/kubernetes/resource-types.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { labelsOf, ownerOf, type Placed } from './environment-objects.ts';
import type { EnvironmentSpec, Subject } from './environment-spec.ts';
import type { EnvironmentApp, EnvironmentPorts } from './ports.ts';

type AppsPolicyPorts = Pick<EnvironmentPorts, 'cluster' | 'apps' | 'operatorKinds'>;

interface PolicyInput {
  readonly environment: KubeObject;
  readonly spec: EnvironmentSpec;
  readonly signal: AbortSignal;
}

/**
 * Keeps the admission policy in force by which kubectl gets the same answer as the pages: no client creates instances of Apps that the Environment does not allow.
 * What differs is replaced, not applied: a field that another client added, such as an exemption, would survive an apply.
 */
export async function keepAppsPolicy(ports: AppsPolicyPorts, input: PolicyInput): Promise<void> {
  const { cluster, apps, operatorKinds } = ports;
  const { environment, spec, signal } = input;
  const denied = spec.allowedApps === undefined ? [] : apps().filter((app) => !isAppAllowed(spec.allowedApps, app));
  const wanted = denied.length === 0 ? [] : appsPolicy(input, { denied, operatorKinds: operatorKinds() });
  for (const type of [ADMISSION_POLICY, ADMISSION_POLICY_BINDING]) {
    const ref = { ...type, name: appsPolicyName(environment) };
    const live = await ifFound(cluster.get(ref, { signal }));
    const object = wanted.find((placed) => placed.type === type)?.object;
    const options = { fieldManager: OURS.fieldManager, signal };
    if (object === undefined) {
      if (live !== undefined) await ifFound(cluster.delete(ref, { signal }));
    } else if (live === undefined) await cluster.create(type, object, options);
    else if (!isInForce(live, object)) {
      const { resourceVersion = '' } = live.metadata;
      await cluster.replace(type, { ...object, metadata: { ...object.metadata, resourceVersion } }, options);
    }
  }
}

function appsPolicyName({ metadata }: KubeObject): string {
  return `chandlery-environment-apps-${metadata.name}`;
}

function isInForce({ metadata, spec }: KubeObject, wanted: KubeObject): boolean {
  const { ownerReferences, labels = {} } = metadata;
  return (
    isDeepStrictEqual(spec, wanted.spec) &&
    isDeepStrictEqual(ownerReferences, wanted.metadata.ownerReferences) &&
    Object.entries(wanted.metadata.labels ?? {}).every(([key, value]) => labels[key] === value)
  );
}

interface CatalogKinds {
  readonly denied: readonly EnvironmentApp[];
  readonly operatorKinds: readonly OperatorKinds[];
}

/** Every field is spelled out, so that a live policy either equals it or was changed. */
function appsPolicy({ environment, spec: { members, helmUsers } }: PolicyInput, { denied, operatorKinds }: CatalogKinds): Placed[] {
  const name = appsPolicyName(environment);
  const metadata = { name, labels: labelsOf(environment, {}), ownerReferences: [ownerOf(environment)] };
  const apiVersion = `${ADMISSION_POLICY.group}/${ADMISSION_POLICY.version}`;
  const subjects = [...Object.values(members).flat(), ...helmUsers];
  const spec = {
    failurePolicy: 'Fail',
    matchConstraints: {
      matchPolicy: 'Equivalent',
      // The namespace of the Environment, and those that are dedicated to its instances.
      namespaceSelector: { matchLabels: { [OURS.environmentLabel]: environment.metadata.name } },
      objectSelector: {},
      resourceRules: rulesFor(denied),
    },
    matchConditions: [
      { name: 'new-or-moved-from-its-owner', expression: IS_NEW_OR_MOVED },
      { name: 'not-the-garbage-collector', expression: NOT_THE_GARBAGE_COLLECTOR },
      { name: 'not-a-part-by-an-operator', expression: `!(${operatorExpression(operatorKinds)} && ${notOneOf(subjects)})` },
    ],
    validations: [{ expression: 'false', messageExpression: messageExpression(environment), reason: 'Forbidden' }],
  };
  return [
    { type: ADMISSION_POLICY, object: { apiVersion, kind: ADMISSION_POLICY.kind, metadata, spec } },
    {
      type: ADMISSION_POLICY_BINDING,
      object: { apiVersion, kind: ADMISSION_POLICY_BINDING.kind, metadata, spec: { policyName: name, validationActions: ['Deny'] } },
    },
  ];
}

function messageExpression({ metadata }: KubeObject): string {
  const app = "request.resource.resource + '.' + request.resource.group";
  const created = `${JSON.stringify(`environment "${metadata.name}": its allowedApps do not allow `)} + ${app} + '; choose another environment or app, or ask the owner of the environment'`;
  const moved = `${JSON.stringify(`environment "${metadata.name}": its allowedApps allow `)} + ${app} + ' only as a part of another app: keep the owner reference with controller: true'`;
  return `request.operation == 'CREATE' ? ${created} : ${moved}`;
}

const controllersOf = (object: string): string =>
  `${object}.metadata.?ownerReferences.orValue([]).filter(owner, owner.?controller.orValue(false))`;

/** Existing instances can still be changed and deleted, but a part of another app stays one. */
const IS_NEW_OR_MOVED = `oldObject == null || (${controllersOf('oldObject')}.size() > 0 && ${controllersOf('oldObject')} != ${controllersOf('object')})`;

/** It takes the reference off when the owner is deleted with `--cascade=orphan`. */
const NOT_THE_GARBAGE_COLLECTOR =
  "!(request.operation == 'UPDATE' && request.userInfo.username in ['system:kube-controller-manager', 'system:serviceaccount:kube-system:generic-garbage-collector'])";

/**
 * What an operator makes as a part of an instance of its own kinds. Kubernetes says who asks, the requester says which owner: an owner reference alone exempts
 * nobody. Whether the owner exists cannot be asked here; the garbage collector deletes what has an owner that does not exist.
 */
function operatorExpression(operatorKinds: readonly OperatorKinds[]): string {
  if (operatorKinds.length === 0) return 'false';
  const kinds = Object.fromEntries(operatorKinds.map(({ namespace, kinds: byGroup }) => [`system:serviceaccounts:${namespace}`, byGroup]));
  return `'system:serviceaccounts' in request.userInfo.groups && request.userInfo.groups.exists(group, ${controllersOf('object')}.exists(owner,
  owner.kind in ${JSON.stringify(kinds)}[?group][?owner.apiVersion.split('/')[0]].orValue([])))`;
}

/** The accounts and members of the Environment are no operators, whatever their namespace is. */
function notOneOf(subjects: readonly Subject[]): string {
  const names = subjects.map(({ kind, name, namespace = '' }) =>
    kind === 'ServiceAccount' ? `system:serviceaccount:${namespace}:${name}` : name,
  );
  const reserved = [...new Set(names.filter((name) => name.startsWith('system:')))].sort();
  return `!([request.userInfo.username] + request.userInfo.groups).exists(name, name in ${JSON.stringify(reserved)})`;
}

function rulesFor(denied: readonly EnvironmentApp[]): object[] {
  const byGroup = Map.groupBy(denied, ({ group }) => group);
  const groups = [...byGroup].sort(([a], [b]) => (a < b ? -1 : 1));
  return groups.map(([group, apps]) => ({
    apiGroups: [group],
    apiVersions: ['*'],
    operations: ['CREATE', 'UPDATE'],
    resources: apps.map(({ plural }) => plural).sort(),
    scope: 'Namespaced',
  }));
}
