import {
  CLUSTER_ROLE,
  CLUSTER_ROLE_BINDING,
  LIMIT_RANGE,
  NETWORK_POLICY,
  RESOURCE_QUOTA,
  ROLE,
  ROLE_BINDING,
  SERVICE_ACCOUNT,
} from '../../domain/kubernetes/resource-types.ts';
import { ENVIRONMENT_ROLES, type EnvironmentRole } from '../../domain/environment/environment-kind.ts';
import { DEPLOYER, NETWORK_DEPLOYER } from '../../domain/environment/deployer.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { podSecurityLabels } from '../../domain/kubernetes/pod-security-labels.ts';
import { allowsChartPolicies, networkPolicySpec } from '../../domain/environment/network-policy.ts';
import {
  apiVersionOf,
  type KubeObject,
  type ObjectMeta,
  type OwnerReference,
  type ResourceType,
  type ServedKind,
} from '../../domain/kubernetes/resource.ts';
import type { EnvironmentSpec, Subject } from './environment-spec.ts';

/** An object with the resource that it is applied to. */
export interface Placed {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

export const RBAC = 'rbac.authorization.k8s.io';

/**
 * The objects that an Environment consists of, in the order to apply them; its namespace is not among them.
 *
 * @param meshKind the kind of its mesh, where the cluster serves it.
 */
export function environmentObjects(environment: KubeObject, spec: EnvironmentSpec, meshKind?: ServedKind): Placed[] {
  return [...policyObjects(environment, spec, meshKind), ...peopleObjects(environment, spec)];
}

/** What limits the namespace, and the accounts in it. @param meshKind as of `environmentObjects`. */
export function policyObjects(environment: KubeObject, spec: EnvironmentSpec, meshKind?: ServedKind): Placed[] {
  const meta = (name: string): ObjectMeta => ({ name, namespace: spec.namespace, labels: labelsOf(environment, spec) });
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: meta('chandlery'), spec: { hard: spec.quota } };
  const limits = { apiVersion: 'v1', kind: 'LimitRange', metadata: meta('chandlery'), spec: { limits: spec.limits } };
  return [
    ...(spec.quota === undefined ? [] : [{ type: RESOURCE_QUOTA, object: quota }]),
    ...(spec.limits.length === 0 ? [] : [{ type: LIMIT_RANGE, object: limits }]),
    ...network(environment, spec, meshKind),
    ...accounts(environment, spec),
    ...deployer(environment, spec),
  ];
}

/** What makes people members: the permissions in the namespace, and that to see the Environment. */
export function peopleObjects(environment: KubeObject, spec: EnvironmentSpec): Placed[] {
  return [...bindings(environment, spec), ...(spec.dedicatedTo === undefined ? visibility(environment, spec) : [])];
}

/** The ResourceQuota with the limits of AppDefinitions, apart from the quota that admins give the Environment. */
export function appQuota(environment: KubeObject, spec: EnvironmentSpec, hard: Readonly<Record<string, number>>): Placed[] {
  if (Object.keys(hard).length === 0) return [];
  const metadata = { name: 'chandlery-apps', namespace: spec.namespace, labels: labelsOf(environment, spec) };
  return [{ type: RESOURCE_QUOTA, object: { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } } }];
}

/** The name of the ClusterRole and ClusterRoleBinding that let the members see the Environment itself. */
export function visibilityName(environment: KubeObject): string {
  return `chandlery-environment-${environment.metadata.name}`;
}

/** @param of what a namespace is dedicated to, where it is not that of the Environment itself. */
export function labelsOf(environment: KubeObject, { dedicatedTo }: Pick<EnvironmentSpec, 'dedicatedTo'>): Record<string, string> {
  const dedicated = dedicatedTo === undefined ? {} : { [OURS.instanceUidLabel]: dedicatedTo };
  return { 'app.kubernetes.io/managed-by': 'chandlery', [OURS.environmentLabel]: environment.metadata.name, ...dedicated };
}

/** The labels of the namespace: whose it is, and which pods it admits. */
export function namespaceLabels(
  environment: KubeObject,
  spec: Pick<EnvironmentSpec, 'podSecurity' | 'dedicatedTo'>,
): Record<string, string> {
  return { ...labelsOf(environment, spec), ...podSecurityLabels(spec.podSecurity) };
}

const HELM_USER = 'chandlery-helm-user';

/** One RoleBinding for each role that has subjects. */
function bindings(environment: KubeObject, spec: EnvironmentSpec): Placed[] {
  const { members, helmUsers } = spec;
  const roles = [...ENVIRONMENT_ROLES.map((role) => [roleName(role), members[role]] as const), [HELM_USER, helmUsers] as const];
  return roles
    .filter(([, subjects]) => subjects.length > 0)
    .map(([name, subjects]) => roleBinding(environment, spec, { name, role: { kind: 'ClusterRole', name }, subjects }));
}

interface Binding {
  readonly name: string;
  readonly role: { readonly kind: 'Role' | 'ClusterRole'; readonly name: string };
  readonly subjects: readonly Subject[];
}

export function roleBinding(environment: KubeObject, spec: EnvironmentSpec, { name, role, subjects }: Binding): Placed {
  const metadata = { name, ...ownedMeta(environment, spec) };
  const roleRef = { apiGroup: RBAC, ...role };
  return {
    type: ROLE_BINDING,
    object: { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata, roleRef, subjects: subjects.map(rbacSubject) },
  };
}

/** An account that no pod gets a token of unasked. */
export function serviceAccount(environment: KubeObject, spec: EnvironmentSpec, name: string): Placed {
  const metadata = { name, ...ownedMeta(environment, spec) };
  return { type: SERVICE_ACCOUNT, object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata, automountServiceAccountToken: false } };
}

export function ownedMeta(environment: KubeObject, spec: EnvironmentSpec): Omit<ObjectMeta, 'name'> {
  return { namespace: spec.namespace, labels: labelsOf(environment, spec), ownerReferences: [ownerOf(environment)] };
}

/** Who may connect: by the NetworkPolicy of the Environment, and by the mesh. */
function network(environment: KubeObject, spec: EnvironmentSpec, meshKind: ServedKind | undefined): Placed[] {
  const { namespace, networkPolicy, mesh } = spec;
  const metadata = { name: 'chandlery', namespace, labels: labelsOf(environment, spec) };
  const policy = networkPolicy && {
    type: NETWORK_POLICY,
    object: {
      apiVersion: apiVersionOf(NETWORK_POLICY),
      kind: 'NetworkPolicy',
      metadata,
      spec: networkPolicySpec(networkPolicy, environment.metadata.name),
    },
  };
  // Linkerd goes by the annotation of the namespace alone.
  const strict = mesh?.provider === 'Istio' && mesh.mtls === 'Strict';
  const authentication = strict &&
    meshKind && {
      type: meshKind,
      object: { apiVersion: apiVersionOf(meshKind), kind: meshKind.kind, metadata, spec: { mtls: { mode: 'STRICT' } } },
    };
  return [policy, authentication].filter((placed) => typeof placed === 'object');
}

/** The service accounts, each with the permission to create tokens for it. No pod gets such a token unasked. */
function accounts(environment: KubeObject, spec: EnvironmentSpec): Placed[] {
  return spec.accounts.flatMap(({ name, holders }): Placed[] => {
    const metadata = { name: `chandlery-tokens-${name}`, ...ownedMeta(environment, spec) };
    const rules = [{ apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: [name], verbs: ['create'] }];
    return [
      serviceAccount(environment, spec, name),
      { type: ROLE, object: { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules } },
      roleBinding(environment, spec, { name: metadata.name, role: { kind: 'Role', name: metadata.name }, subjects: holders }),
    ];
  });
}

/** The account that releases of instances are applied as; see `cluster-roles.yaml` for what it may do. No pod runs as it, and no token of it is given out. */
function deployer(environment: KubeObject, spec: EnvironmentSpec): Placed[] {
  const { namespace, networkPolicy } = spec;
  const roles = [DEPLOYER, ...(allowsChartPolicies(networkPolicy) ? [NETWORK_DEPLOYER] : [])];
  const subjects = [{ kind: 'ServiceAccount', name: DEPLOYER, namespace } as const];
  return [
    serviceAccount(environment, spec, DEPLOYER),
    ...roles.map((name) => roleBinding(environment, spec, { name, role: { kind: 'ClusterRole', name }, subjects })),
  ];
}

/** The classes of the cluster, by which people choose a storage, a way in or a priority; there is nothing of anybody's in them. */
const CLASSES = [
  { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['get', 'list'] },
  { apiGroups: ['networking.k8s.io'], resources: ['ingressclasses'], verbs: ['get', 'list'] },
  { apiGroups: ['scheduling.k8s.io'], resources: ['priorityclasses'], verbs: ['get', 'list'] },
];

/** `get` on exactly this Environment: whoever may read it may know that it is there. */
function visibility(environment: KubeObject, spec: EnvironmentSpec): Placed[] {
  const { members } = spec;
  const name = visibilityName(environment);
  const metadata = { name, labels: labelsOf(environment, spec), ownerReferences: [ownerOf(environment)] };
  const itself = { apiGroups: [OURS.group], resources: ['environments'], resourceNames: [environment.metadata.name], verbs: ['get'] };
  const rules = [itself, ...CLASSES];
  const subjects = ENVIRONMENT_ROLES.flatMap((role) => members[role]).map(rbacSubject);
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name };
  return [
    { type: CLUSTER_ROLE, object: { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata, rules } },
    { type: CLUSTER_ROLE_BINDING, object: { apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata, roleRef, subjects } },
  ];
}

function roleName(role: EnvironmentRole): string {
  return `chandlery-${role}`;
}

function rbacSubject({ kind, name, namespace }: Subject): Record<string, string> {
  return kind === 'ServiceAccount' ? { kind, name, namespace: namespace ?? '' } : { kind, name, apiGroup: RBAC };
}

/** The Environment as the owner of a cluster-scoped object, or of one in its namespace. */
export function ownerOf({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' };
}
