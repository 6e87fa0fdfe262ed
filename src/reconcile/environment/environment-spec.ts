import { ENVIRONMENT_KIND, ENVIRONMENT_ROLES, type EnvironmentRole } from '../../domain/environment/environment-kind.ts';
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

/** The spec of an Environment with its defaults. */
export interface EnvironmentSpec {
  readonly namespace: string;
  readonly members: Readonly<Record<EnvironmentRole, readonly Subject[]>>;
  /** The hard limits of a ResourceQuota; undefined without any. */
  readonly quota: Readonly<Record<string, unknown>> | undefined;
  /** The limits of a LimitRange. */
  readonly limits: readonly unknown[];
  readonly podSecurity: PodSecurity;
  readonly reclaim: 'Retain' | 'Delete';
}

/** The spec of an Environment as the reconciler acts on it. Throws as `specOf`. */
export function parseEnvironment(environment: KubeObject): EnvironmentSpec {
  const {
    namespace = environment.metadata.name,
    groups,
    subjects,
    quota,
    limitRange,
    podSecurity,
    reclaim,
  } = specOf(ENVIRONMENT_KIND, environment);
  const all = [...groups.map((group) => ({ kind: 'Group' as const, ...group })), ...subjects];
  const members = Object.fromEntries(
    ENVIRONMENT_ROLES.map((role) => [role, sorted(all.filter((entry) => entry.role === role).map(subjectOf))]),
  ) as Record<EnvironmentRole, Subject[]>;
  return { namespace, members, quota: Object.keys(quota).length === 0 ? undefined : quota, limits: limitRange, podSecurity, reclaim };
}

function subjectOf({ kind, name, namespace = '' }: Subject): Subject {
  return kind === 'ServiceAccount' ? { kind, name, namespace } : { kind, name };
}

/** Sorted and each only once, so that equal permissions make equal bindings. */
function sorted(subjects: readonly Subject[]): Subject[] {
  const byKey = new Map(subjects.map((subject) => [`${subject.kind} ${subject.namespace ?? ''} ${subject.name}`, subject]));
  return [...byKey.entries()].sort(([a], [b]) => a.localeCompare(b)).map(([, subject]) => subject);
}

/** On an Environment: "true" lets it take over a namespace that exists and that no Environment owns. */
export const ADOPT_ANNOTATION = `${OURS.group}/adopt-namespace`;

/** On a namespace: the uid of the Environment that it was reserved for. */
export const ENVIRONMENT_UID_ANNOTATION = `${OURS.group}/environment-uid`;
/** On a namespace: its own uid when it was reserved, so that a label which was copied to another namespace reserves nothing. */
export const NAMESPACE_UID_ANNOTATION = `${OURS.group}/namespace-uid`;

/** The service account that earlier versions made in each environment. */
export const DEPLOYER = 'chandlery-deployer';
