import { ENVIRONMENT_ROLES, type EnvironmentRole } from '../../domain/environment/environment.ts';
import { isPodSecurityLevel, type PodSecurity, type PodSecurityLevel } from '../../domain/kubernetes/pod-security-labels.ts';
import { listAt, objectAt, textAt } from '../../domain/core/read.ts';
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

/** Reads an Environment that its schema has let through. */
export function parseEnvironment({ metadata, spec }: KubeObject): EnvironmentSpec {
  const subjects = [
    ...listAt(spec, 'groups').map((group) => ({ subject: subjectOf('Group', group), role: textAt(group, 'role') })),
    ...listAt(spec, 'subjects').map((entry) => ({ subject: subjectOf(textAt(entry, 'kind'), entry), role: textAt(entry, 'role') })),
  ];
  const quota = objectAt(spec, 'quota');
  const members = Object.fromEntries(
    ENVIRONMENT_ROLES.map((role) => [role, sorted(subjects.filter((entry) => entry.role === role).map((entry) => entry.subject))]),
  ) as Record<EnvironmentRole, Subject[]>;
  return {
    namespace: textAt(spec, 'namespace') ?? metadata.name,
    members,
    quota: Object.keys(quota).length === 0 ? undefined : quota,
    limits: listAt(spec, 'limitRange'),
    podSecurity: parsePodSecurity(spec),
    reclaim: textAt(spec, 'reclaim') === 'Delete' ? 'Delete' : 'Retain',
  };
}

function parsePodSecurity(spec: unknown): PodSecurity {
  const level = (mode: string, fallback: PodSecurityLevel): PodSecurityLevel => {
    const text = textAt(spec, 'podSecurity', mode);
    return isPodSecurityLevel(text) ? text : fallback;
  };
  return {
    enforce: level('enforce', 'baseline'),
    audit: level('audit', 'restricted'),
    warn: level('warn', 'restricted'),
    version: textAt(spec, 'podSecurity', 'version') ?? 'latest',
  };
}

function subjectOf(kind: string | undefined, entry: unknown): Subject {
  const name = textAt(entry, 'name') ?? '';
  if (kind === 'ServiceAccount') return { kind, name, namespace: textAt(entry, 'namespace') ?? '' };
  return { kind: kind === 'User' ? 'User' : 'Group', name };
}

/** Sorted and each only once, so that equal rights make equal bindings. */
function sorted(subjects: readonly Subject[]): Subject[] {
  const byKey = new Map(subjects.map((subject) => [`${subject.kind} ${subject.namespace ?? ''} ${subject.name}`, subject]));
  return [...byKey.entries()].sort(([a], [b]) => a.localeCompare(b)).map(([, subject]) => subject);
}
