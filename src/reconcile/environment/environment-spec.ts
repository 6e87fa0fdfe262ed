import { createHash } from 'node:crypto';
import type { AllowedApps } from '../../domain/environment/allowed-apps.ts';
import { ciGroup } from '../../domain/environment/ci-project.ts';
import { ENVIRONMENT_KIND, ENVIRONMENT_ROLES, type EnvironmentRole } from '../../domain/environment/environment-kind.ts';
import { type Expiry, expiryOf } from '../../domain/environment/expiry.ts';
import type { NamespacePolicy } from '../../domain/environment/namespace-policy.ts';
import type { Mesh } from '../../domain/environment/mesh.ts';
import { type EnvironmentNetworkPolicy, networkPolicyOf } from '../../domain/environment/network-policy.ts';
import type { ValueOf } from '../../domain/kind/field.ts';
import { specOf } from '../../domain/kind/kind.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { PodSecurity } from '../../domain/kubernetes/pod-security-labels.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';

/** A subject of an RBAC binding. */
export interface Subject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly name: string;
  /** Only of a ServiceAccount. */
  readonly namespace?: string;
}

/** A ServiceAccount in the namespace of the Environment. */
export interface EnvironmentAccount {
  readonly name: string;
  /** Those who may create tokens for it. */
  readonly holders: readonly Subject[];
}

/** The spec of an Environment with its defaults. */
export interface EnvironmentSpec {
  readonly namespace: string;
  readonly members: Readonly<Record<EnvironmentRole, readonly Subject[]>>;
  /** Those who may write the release records of Helm. */
  readonly helmUsers: readonly Subject[];
  /** By name. */
  readonly accounts: readonly EnvironmentAccount[];
  /** The hard limits of a ResourceQuota; undefined without any. */
  readonly quota: Readonly<Record<string, unknown>> | undefined;
  /** The limits of a LimitRange. */
  readonly limits: readonly unknown[];
  readonly podSecurity: PodSecurity;
  readonly networkPolicy?: EnvironmentNetworkPolicy;
  readonly mesh?: Mesh;
  readonly allowedApps?: AllowedApps;
  readonly expiry?: Expiry;
  readonly foreignGrants: 'Report' | 'Remove';
  readonly reclaim: 'Retain' | 'Delete';
  /** The uid of the instance that this namespace of the Environment is dedicated to; absent for the namespace of the Environment itself. */
  readonly dedicatedTo?: string;
}

/** No account of its own: members have the roles that they have in the Environment. What a policy leaves out is as there. */
export function dedicatedSpec(
  environment: EnvironmentSpec,
  { policy, ...dedicated }: Required<Pick<EnvironmentSpec, 'namespace' | 'dedicatedTo'>> & { readonly policy: NamespacePolicy },
): EnvironmentSpec {
  const { quota = environment.quota, limitRange = environment.limits, podSecurity = environment.podSecurity } = policy;
  const networkPolicy = networkPolicyOf(environment.networkPolicy, policy.networkPolicy);
  return {
    ...environment,
    ...dedicated,
    accounts: [],
    quota: quota === undefined || Object.keys(quota).length === 0 ? undefined : quota,
    limits: limitRange,
    podSecurity,
    ...(networkPolicy === undefined ? {} : { networkPolicy }),
  };
}

/** What the settings of Chandlery add to the spec of an Environment. */
export interface EnvironmentSettings {
  /** The prefix of the groups of CI jobs. */
  readonly projectPrefix: string;
}

/** As the first issuer of CI jobs names them (`--ci-issuer`), which is never that of people: they must not share names. */
export const ENVIRONMENT_SETTINGS: EnvironmentSettings = { projectPrefix: '' };

type Fields = ValueOf<(typeof ENVIRONMENT_KIND)['spec']>;
type Member = Subject & { readonly role: EnvironmentRole };

/** The spec of an Environment as the reconciler acts on it. Throws as `specOf`. */
export function parseEnvironment(environment: KubeObject, settings: EnvironmentSettings): EnvironmentSpec {
  const fields = specOf(ENVIRONMENT_KIND, environment);
  const {
    namespace = environment.metadata.name,
    quota,
    limitRange,
    podSecurity,
    networkPolicy,
    mesh,
    allowedApps,
    expires,
    foreignGrants,
    reclaim,
  } = fields;
  const expiry = expires && expiryOf(expires, environment.metadata.creationTimestamp ?? '');
  const people = peopleOf(fields, settings);
  const maintainers = sorted(people.filter(({ role }) => role === 'maintainer'));
  const accounts = accountsOf(fields, maintainers);
  const all = [...people, ...accounts.map(({ name, role }): Member => ({ kind: 'ServiceAccount', name, namespace, role }))];
  const members = Object.fromEntries(ENVIRONMENT_ROLES.map((role) => [role, sorted(all.filter((entry) => entry.role === role))])) as Record<
    EnvironmentRole,
    Subject[]
  >;
  return {
    namespace,
    members,
    helmUsers: sorted(fields.helmUsers),
    accounts: accounts.map(({ name, holders }) => ({ name, holders })),
    quota: Object.keys(quota).length === 0 ? undefined : quota,
    limits: limitRange,
    podSecurity,
    ...(networkPolicy === undefined ? {} : { networkPolicy }),
    ...(mesh === undefined ? {} : { mesh }),
    ...(allowedApps === undefined ? {} : { allowedApps }),
    ...(expiry === undefined ? {} : { expiry }),
    foreignGrants,
    reclaim,
  };
}

function peopleOf({ groups, subjects, projects }: Fields, { projectPrefix }: EnvironmentSettings): Member[] {
  return [
    ...groups.map((group): Member => ({ kind: 'Group', ...group })),
    ...subjects,
    ...projects.map(({ role, prefix = projectPrefix, ...project }): Member => ({ kind: 'Group', name: ciGroup(prefix, project), role })),
  ];
}

/** No account may do more than those who may create tokens for it. */
function accountsOf(
  { serviceAccounts, maintainerServiceAccounts }: Pick<Fields, 'serviceAccounts' | 'maintainerServiceAccounts'>,
  maintainers: readonly Subject[],
): (EnvironmentAccount & { readonly role: EnvironmentRole })[] {
  const named = serviceAccounts.map(({ name, role }) => ({ name, role, holders: maintainers }));
  const personal = maintainerServiceAccounts ? maintainers.filter(({ kind }) => kind !== 'ServiceAccount') : [];
  const own = personal.map((maintainer) => ({ name: accountNameOf(maintainer), role: 'maintainer' as const, holders: [maintainer] }));
  const byName = new Map([...own, ...named].map((account) => [account.name, account]));
  return [...byName.values()].sort((a, b) => a.name.localeCompare(b.name));
}

const MAX_NAME = 63;
const HASH_LENGTH = 8;

/** `maintainer-oidc-shop-leads-1f2e3d4c`: names of people hold more than names of objects may, so a hash tells them apart. */
function accountNameOf({ kind, name }: Subject): string {
  const hash = createHash('sha256').update(`${kind} ${name}`).digest('hex').slice(0, HASH_LENGTH);
  const words = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const beginning = `maintainer-${words}`.slice(0, MAX_NAME - HASH_LENGTH - 1).replace(/-+$/, '');
  return `${beginning}-${hash}`;
}

/** Sorted and each only once, so that equal permissions make equal bindings. */
function sorted(subjects: readonly Subject[]): Subject[] {
  const byKey = new Map(subjects.map((subject) => [`${subject.kind} ${subject.namespace ?? ''} ${subject.name}`, subjectOf(subject)]));
  return [...byKey.entries()].sort(([a], [b]) => a.localeCompare(b)).map(([, subject]) => subject);
}

function subjectOf({ kind, name, namespace = '' }: Subject): Subject {
  return kind === 'ServiceAccount' ? { kind, name, namespace } : { kind, name };
}

/** On a namespace: the uid of the Environment that it was reserved for. */
export const ENVIRONMENT_UID_ANNOTATION = `${OURS.group}/environment-uid`;
/** On a namespace: its own uid when it was reserved, so that a label which was copied to another namespace reserves nothing. */
export const NAMESPACE_UID_ANNOTATION = `${OURS.group}/namespace-uid`;
/** On a namespace: the service accounts of the Environment, by which admission policies know them. */
export const ACCOUNTS_ANNOTATION = `${OURS.group}/service-accounts`;
