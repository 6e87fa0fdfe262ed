import { isDeepStrictEqual } from 'node:util';
import { isAppAllowed } from '../../domain/environment/allowed-apps.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { ADMISSION_POLICY, ADMISSION_POLICY_BINDING } from '../../domain/kubernetes/resource-types.ts';
import { labelsOf, ownerOf, type Placed } from './environment-objects.ts';
import type { EnvironmentSpec } from './environment-spec.ts';
import type { EnvironmentApp, EnvironmentPorts } from './ports.ts';

interface PolicyInput {
  readonly environment: KubeObject;
  readonly spec: EnvironmentSpec;
  readonly signal: AbortSignal;
}

/**
 * Keeps the admission policy in force by which kubectl meets the same wall as the pages: nobody creates instances of Apps that the Environment does not allow.
 * What differs is replaced, not applied: a field that somebody added, such as an exemption, would survive an apply.
 */
export async function keepAppsPolicy({ cluster, apps }: Pick<EnvironmentPorts, 'cluster' | 'apps'>, input: PolicyInput): Promise<void> {
  const { environment, spec, signal } = input;
  const denied = spec.allowedApps === undefined ? [] : apps().filter((app) => !isAppAllowed(spec.allowedApps, app));
  const wanted = denied.length === 0 ? [] : appsPolicy(environment, spec.namespace, denied);
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

/** Every field is spelled out, so that a live policy either equals it or was changed. */
function appsPolicy(environment: KubeObject, namespace: string, denied: readonly EnvironmentApp[]): Placed[] {
  const name = appsPolicyName(environment);
  const metadata = { name, labels: labelsOf(environment), ownerReferences: [ownerOf(environment)] };
  const apiVersion = `${ADMISSION_POLICY.group}/${ADMISSION_POLICY.version}`;
  const where = `environment "${environment.metadata.name}": its allowedApps do not allow `;
  const spec = {
    failurePolicy: 'Fail',
    matchConstraints: {
      matchPolicy: 'Equivalent',
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      objectSelector: {},
      resourceRules: rulesFor(denied),
    },
    matchConditions: [{ name: 'not-a-part-of-another-app', expression: NOT_A_PART }],
    validations: [
      {
        expression: 'false',
        messageExpression: `${JSON.stringify(where)} + request.resource.resource + '.' + request.resource.group + '; choose another environment or app, or ask the owner of the environment'`,
        reason: 'Forbidden',
      },
    ],
  };
  return [
    { type: ADMISSION_POLICY, object: { apiVersion, kind: ADMISSION_POLICY.kind, metadata, spec } },
    {
      type: ADMISSION_POLICY_BINDING,
      object: { apiVersion, kind: ADMISSION_POLICY_BINDING.kind, metadata, spec: { policyName: name, validationActions: ['Deny'] } },
    },
  ];
}

/** What an operator makes as a part of an instance that was admitted. People do not get by with an owner that they wrote down themselves. */
const NOT_A_PART =
  "!('system:serviceaccounts' in request.userInfo.groups && object.metadata.?ownerReferences.orValue([]).exists(owner, owner.?controller.orValue(false)))";

/** Creating alone: existing instances can still be changed and deleted. */
function rulesFor(denied: readonly EnvironmentApp[]): object[] {
  const byGroup = Map.groupBy(denied, ({ group }) => group);
  const groups = [...byGroup].sort(([a], [b]) => (a < b ? -1 : 1));
  return groups.map(([group, apps]) => ({
    apiGroups: [group],
    apiVersions: ['*'],
    operations: ['CREATE'],
    resources: apps.map(({ plural }) => plural).sort(),
    scope: 'Namespaced',
  }));
}
