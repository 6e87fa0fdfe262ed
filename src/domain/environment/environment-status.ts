import { findCondition } from '../kubernetes/condition.ts';
import { HEALTH_STATUSES, type Health, type HealthStatus, worstActiveHealth } from '../health/health.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { at } from '../core/read.ts';
import { countHealth, type EnvironmentResource, type ResourceCount } from './environment-resources.ts';
import type { EnvironmentView } from './environment.ts';

/** How an environment is: the worst of all that is in it. What somebody suspended counts only where nothing else reports a health. */
export interface EnvironmentHealth {
  /** Absent when nothing in it reports a health. */
  readonly health?: Health;
  /** Resources in it. */
  readonly total: number;
  readonly counts: ResourceCount['health'];
  /** What makes it so, each with what it owns taken together; at most 20. */
  readonly causes: readonly HealthCause[];
  /** Causes that are not among them. */
  readonly moreCauses: number;
}

/** A resource at the top of its owners, and the worst that it or what it owns reports. */
export interface HealthCause {
  /** Plural and group. */
  readonly resource: string;
  readonly kind: string;
  readonly name: string;
  readonly status: HealthStatus;
  /** Names the owned resource that says it. */
  readonly message: string;
  readonly instance?: EnvironmentResource['instance'];
}

const MAX_CAUSES = 20;

export function environmentHealth(environment: EnvironmentView, resources: readonly EnvironmentResource[]): EnvironmentHealth {
  const own = ownCause(environment);
  const groups = [...groupsOf(resources)];
  const grouped = [...(own === undefined ? [] : [own]), ...groups.flatMap(([, group]) => causeOf(group))];
  const worst = worstActiveHealth(grouped);
  const causes = worst === undefined || worst.status === 'Healthy' ? [] : grouped.filter(({ status }) => status === worst.status);
  return {
    ...(worst === undefined ? {} : { health: { status: worst.status, message: sentenceOf(worst, causes) } }),
    total: resources.length,
    counts: countHealth(resources),
    causes: causes.slice(0, MAX_CAUSES),
    moreCauses: Math.max(0, causes.length - MAX_CAUSES),
  };
}

/** What an instance says about the version of what it runs. */
export function reportedVersion({ spec, status }: Pick<KubeObject, 'spec' | 'status'>): string {
  const said = [at(status, 'version'), at(status, 'currentVersion'), at(spec, 'version')];
  const versions = said.flatMap((one) => (typeof one === 'string' || typeof one === 'number' ? [String(one)] : []));
  return (versions.find((version) => version !== '') ?? '').slice(0, MAX_VERSION_LENGTH);
}

const MAX_VERSION_LENGTH = 60;

/** Until its namespace and its permissions are there, nothing works in it. */
function ownCause({ name, ready, message, conditions }: EnvironmentView): HealthCause | undefined {
  if (ready) return undefined;
  const isStalled = findCondition(conditions, 'Stalled')?.status === 'True';
  return { resource: 'environments.chandlery.dev', kind: 'Environment', name, status: isStalled ? 'Degraded' : 'Progressing', message };
}

/** An app with all that it consists of, or what stands below one owner. */
function groupsOf(resources: readonly EnvironmentResource[]): ReadonlyMap<string, readonly EnvironmentResource[]> {
  return Map.groupBy(resources, ({ instance, owner, kind, name }) =>
    instance === undefined ? `${owner?.kind ?? kind} ${owner?.name ?? name}` : `${instance.app}/${instance.name}`,
  );
}

/** The health of an instance is that of its whole tree. Elsewhere the resource at the top speaks for all when it reports the worst itself. */
function causeOf(group: readonly EnvironmentResource[]): HealthCause[] {
  const app = group.find(({ instance, resource, name }) => instance?.app === resource && instance.name === name);
  const [worst] = app === undefined ? judgedOf(group) : [app];
  if (worst?.health === undefined) return [];
  const top = app ?? group.find(({ owner }) => owner === undefined);
  const { status, message } = worst.health;
  const isOwn = worst === top || message === '';
  const cause = status === 'Healthy' || app !== undefined ? undefined : (top ?? worst).cause;
  return [
    {
      resource: (top ?? worst).resource,
      kind: (top ?? worst).kind,
      name: (top ?? worst).name,
      status,
      message: cause ?? (isOwn ? message : `${worst.kind} ${worst.name}: ${message}`),
      ...(worst.instance === undefined ? {} : { instance: worst.instance }),
    },
  ];
}

function judgedOf(group: readonly EnvironmentResource[]): readonly EnvironmentResource[] {
  return group
    .filter(({ health }) => health !== undefined)
    .toSorted((a, b) => rank(b) - rank(a) || depth(a) - depth(b) || a.name.localeCompare(b.name));
}

function rank({ health }: EnvironmentResource): number {
  return health === undefined ? -1 : HEALTH_STATUSES.indexOf(health.status);
}

function depth({ owner, health }: EnvironmentResource): number {
  return health?.message === '' ? 2 : Number(owner !== undefined);
}

function sentenceOf({ message }: Health, [first, ...others]: readonly HealthCause[]): string {
  if (first === undefined) return message;
  const subject = `${first.kind} ${first.name}`;
  const namesIt = [`${subject} `, `${subject}: `].some((start) => first.message.startsWith(start));
  const own = namesIt ? first.message : `${subject}${first.message === '' ? '' : `: ${first.message}`}`;
  return others.length === 0 ? own : `${own} (and ${others.length} more)`;
}
