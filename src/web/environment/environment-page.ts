import type { HealthCause } from '../../domain/environment/environment-status.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { TierColumn } from '../../domain/environment/tier-board.ts';
import { EVERYBODY } from '../../domain/kubernetes/actor.ts';
import { HEALTH_STATUSES } from '../../domain/health/health.ts';
import type { EventView } from '../../domain/instance/instance.ts';
import { type Badge, DELETING, healthBadge, tierBadge } from '../page/badges.ts';
import { type ConditionRow, conditionRows } from '../page/conditions.ts';
import { missingSentence } from '../page/message-page.ts';
import {
  environmentPath,
  environmentResourcesPath,
  environmentWorkloadsPath,
  instancePath,
  kubectlPath,
  NEW_ENVIRONMENT_PATH,
  resourcePath,
} from '../page/paths.ts';
import { dateText, timeLeft } from '../page/time-words.ts';
import { plural } from '../page/view-helpers.ts';
import { yamlText } from '../page/yaml-text.ts';
import type { EnvironmentPermissions } from '../../operation/environment/write-environment.ts';
import type { EnvironmentStatus, InstanceStatus } from '../../operation/environment/show-environment-status.ts';
import {
  environmentListTabs,
  type EnvironmentTab,
  environmentTabs,
  limitSentences,
  type QuotaRow,
  quotaRows,
} from './environment-parts.ts';
import { type EmptyView, emptyView } from '../page/empty-view.ts';

export interface EnvironmentRow {
  readonly href: string;
  readonly name: string;
  readonly displayName: string;
  readonly namespace: string;
  readonly tier: Badge;
  readonly groups: EnvironmentView['groups'];
  readonly ready: boolean;
  readonly message: string;
}

export interface InstanceRow {
  readonly href: string;
  readonly name: string;
  readonly appName: string;
  readonly kind: string;
  readonly version: string;
  readonly health: Badge;
  readonly message: string;
  /** `Expires on 27 Nov 2026, 10:00 UTC`; empty while that is far. */
  readonly expiry: string;
  readonly created: string;
  readonly deleting: boolean;
}

/** Somebody with a role in an environment. */
interface MemberRow {
  readonly name: string;
  readonly kind: string;
  readonly role: string;
  readonly isReader: boolean;
}

export interface EnvironmentPage {
  readonly environment: EnvironmentRow;
  /** Empty for whoever may not. */
  readonly editHref: string;
  readonly deleteHref: string;
  readonly tabs: readonly EnvironmentTab[];
  readonly health: Badge;
  readonly sentence: string;
  readonly coverage: string;
  /** `12 Healthy`, each with the resources that it counts. */
  readonly counts: readonly { readonly label: string; readonly href: string }[];
  readonly causes: readonly {
    readonly kind: string;
    readonly name: string;
    readonly href: string;
    readonly health: Badge;
    readonly message: string;
  }[];
  readonly moreCauses: number;
  readonly instances: readonly InstanceRow[];
  /** Why there are none; absent where there are some. */
  readonly noInstances?: EmptyView;
  /** How many kinds are looked for after this answer. */
  readonly unexplored: number;
  readonly workloads: { readonly href: string; readonly text: string };
  readonly quotas: readonly QuotaRow[];
  /** Why there are none. */
  readonly noQuota: string;
  readonly noWarnings: string;
  readonly limits: readonly string[];
  readonly members: readonly MemberRow[];
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly warnings: readonly (EventView & { readonly warning: true })[];
  readonly moreWarnings: number;
  readonly faults: readonly { readonly place: string; readonly message: string }[];
  readonly conditions: readonly ConditionRow[];
  readonly missing: readonly string[];
  readonly unavailable: EnvironmentStatus['unavailable'];
  readonly kubectlHref: string;
  /** The same as JSON. */
  readonly jsonHref: string;
  /** The name of an instance that was deleted just now. */
  readonly deleted?: string;
}

const MAX_WARNINGS = 10;

/** A row of the list of environments: how its instances and workloads are. */
interface EnvironmentListRow extends EnvironmentRow {
  readonly health: Badge;
  readonly contents: string;
}

/** A view of `environments/index`. */
export interface EnvironmentsPage {
  readonly tabs: readonly EnvironmentTab[];
  readonly environments: readonly EnvironmentListRow[];
  /** Of the page on which one is created; empty for whoever may not. */
  readonly newHref: string;
  /** An Environment for the reader, to send to an admin. */
  readonly wanted: string;
  /** The name of an environment that was deleted just now. */
  readonly deleted?: string;
}

export function environmentsPage(
  environments: readonly EnvironmentView[],
  columns: readonly TierColumn[],
  { groups, permissions, deleted }: Reader,
): EnvironmentsPage {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return {
    tabs: environmentListTabs('list'),
    environments: environments.map((environment) => ({ ...environmentRow(environment), ...contentsOf(byName.get(environment.name)) })),
    newHref: permissions.create === undefined ? NEW_ENVIRONMENT_PATH : '',
    wanted: wantedFor(groups),
    ...(deleted === undefined ? {} : { deleted }),
  };
}

/** The smallest Environment that would help somebody who has none. */
function wantedFor(groups: readonly string[]): string {
  const group = groups.find((name) => name !== EVERYBODY) ?? EVERYBODY;
  const name = (group.split(/[:/]/).at(-1) ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63);
  const spec = { tier: 'development', groups: [{ name: group, role: 'developer' }] };
  return yamlText({ apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: name || 'my-team' }, spec });
}

function contentsOf(column: TierColumn | undefined): Pick<EnvironmentListRow, 'health' | 'contents'> {
  const { health, instances = 0, workloads = 0, missing = [] } = column ?? {};
  const counts = [plural(instances, 'instance', 'instances'), plural(workloads, 'other workload', 'other workloads')];
  return {
    health: health === undefined ? NO_HEALTH : healthBadge(health.status),
    contents: [...counts, ...(missing.length === 0 ? [] : [`${plural(missing.length, 'kind', 'kinds')} not readable`])].join(', '),
  };
}

/** Who looks at the page, and what they come from. */
interface Reader {
  readonly user: string;
  readonly groups: readonly string[];
  readonly permissions: EnvironmentPermissions;
  readonly deleted: string | undefined;
}

export function environmentPage(status: EnvironmentStatus, { deleted, permissions, ...reader }: Reader): EnvironmentPage {
  const { environment, warnings } = status;
  const { name } = environment;
  return {
    environment: environmentRow(environment),
    editHref: permissions.update === undefined ? `${environmentPath(name)}/edit` : '',
    deleteHref: permissions.delete === undefined ? `${environmentPath(name)}/delete` : '',
    tabs: environmentTabs(name, 'overview'),
    health: status.health === undefined ? NO_HEALTH : healthBadge(status.health.status),
    sentence: sentenceOf(status),
    coverage: coverageOf(status),
    counts: countsOf(status),
    causes: status.causes.map((cause) => ({
      kind: cause.kind,
      name: cause.name,
      href: causeHref(name, cause),
      health: healthBadge(cause.status),
      message: cause.message,
    })),
    moreCauses: status.moreCauses,
    instances: status.instances.map(instanceRow),
    ...(status.noInstances === undefined ? {} : { noInstances: emptyView(status.noInstances, NO_INSTANCES) }),
    unexplored: status.unexplored ?? 0,
    workloads: { href: environmentWorkloadsPath(name), text: workloadsText(status) },
    noQuota: unlessMissing(status, 'resourcequotas') ?? 'No quota: the namespace has no ResourceQuota.',
    noWarnings: unlessMissing(status, 'events') ?? 'No warnings in the last hour.',
    quotas: quotaRows(status.quotas),
    limits: limitSentences(status.limits),
    facts: environment.facts.map(factRow),
    members: membersOf(environment, reader),
    warnings: warnings.slice(0, MAX_WARNINGS).map((event) => ({ ...event, warning: true })),
    moreWarnings: Math.max(0, warnings.length - MAX_WARNINGS),
    faults: status.faults.map(({ file, line, resource = '', message }) => ({ place: file === '' ? resource : `${file}:${line}`, message })),
    conditions: conditionRows(environment.conditions),
    missing: status.missing.map(missingSentence),
    unavailable: status.unavailable,
    ...linksOf(name),
    ...(deleted === undefined ? {} : { deleted }),
  };
}

function linksOf(name: string): Pick<EnvironmentPage, 'kubectlHref' | 'jsonHref'> {
  return { kubectlHref: kubectlPath(name), jsonHref: `/api/v1${environmentPath(name)}/status` };
}

export function environmentRow(environment: EnvironmentView): EnvironmentRow {
  const { name, displayName, namespace, groups, ready, message } = environment;
  return {
    href: environmentPath(name),
    name,
    displayName: displayName === '' ? name : displayName,
    namespace,
    tier: tierBadge(environment.tier),
    groups,
    ready,
    message,
  };
}

function instanceRow(instance: InstanceStatus): InstanceRow {
  const { status } = instance.health;
  return {
    href: instancePath(instance),
    name: instance.name,
    appName: instance.appName,
    kind: instance.kind,
    version: instance.version,
    health: instance.deleting ? DELETING : healthBadge(status),
    message: status === 'Healthy' ? '' : instance.health.message,
    expiry: expiryText(instance),
    created: instance.created,
    deleting: instance.deleting,
  };
}

function expiryText({ expiry, deleting }: InstanceStatus): string {
  if (expiry === undefined || deleting) return '';
  return expiry.phase === 'Expired' ? `Deleted on ${dateText(expiry.deletesAt)}` : `Expires on ${dateText(expiry.expiresAt)}`;
}

/** Neither good nor bad: nothing says anything. */
function factRow({ label, value, format }: EnvironmentView['facts'][number]): EnvironmentPage['facts'][number] {
  return { label, value: format === 'time' ? `${dateText(value)} (${timeLeft(value, Date.now())})` : value };
}

const NO_HEALTH: Badge = { label: 'No health reported', tone: 'idle', symbol: 'unknown' };

function sentenceOf({ health, total, counts, causes }: EnvironmentStatus): string {
  if (total === 0) return 'No resources that you may see.';
  if (health === undefined) return `None of ${plural(total, 'resource', 'resources')} reports a health.`;
  if (causes.length === 0)
    return `All resources that report a health are healthy${counts.Suspended === undefined ? '' : ', or suspended'}.`;
  return health.message === '' ? 'See the resources below.' : health.message;
}

/** How much of the environment the status does not cover. */
function coverageOf({ missing, unavailable }: EnvironmentStatus): string {
  const unread = missing.length + unavailable.length;
  return unread === 0
    ? ''
    : `${plural(unread, 'kind', 'kinds')} could not be listed and ${unread === 1 ? 'is' : 'are'} not in this status.`;
}

function countsOf({ environment: { name }, counts }: EnvironmentStatus): EnvironmentPage['counts'] {
  return [...HEALTH_STATUSES.toReversed(), 'None' as const].flatMap((health) => {
    const count = counts[health] ?? 0;
    const label = health === 'None' ? 'without health' : health.toLowerCase();
    return count === 0 ? [] : [{ label: `${count} ${label}`, href: `${environmentResourcesPath(name)}?health=${health}` }];
  });
}

function causeHref(environment: string, { instance, resource, name }: HealthCause): string {
  if (instance !== undefined) return instancePath({ environment, ...instance });
  if (resource.startsWith('environments.')) return `${environmentPath(environment)}#conditions`;
  return resourcePath(environment, { resource, name });
}

const NO_INSTANCES = { NothingInstalled: 'No apps installed yet' } as const;

/** The permission without which it is not known whether there are any. */
function unlessMissing({ missing }: Pick<EnvironmentStatus, 'missing'>, resource: string): string | undefined {
  const found = missing.find((one) => one.resource === resource);
  return found === undefined ? undefined : missingSentence(found);
}

/** `4 workloads, 1 degraded; 8 of 9 pods ready; 1 canary`. */
function workloadsText(status: Pick<EnvironmentStatus, 'workloads' | 'missing'>): string {
  const { total, pods, readyPods, canaries, health } = status.workloads;
  const hidden = unlessMissing(status, 'pods') ?? unlessMissing(status, 'deployments');
  if (total === 0) return hidden === undefined ? 'No workloads.' : `No workloads that you may see. ${hidden}`;
  const unwell = HEALTH_STATUSES.toReversed().flatMap((status) => {
    const count = health[status] ?? 0;
    return count === 0 || status === 'Healthy' ? [] : [`${count} ${status.toLowerCase()}`];
  });
  const parts = [
    [plural(total, 'workload', 'workloads'), ...unwell].join(', '),
    `${readyPods} of ${plural(pods, 'pod', 'pods')} ready`,
    ...(canaries === 0 ? [] : [plural(canaries, 'canary', 'canaries')]),
  ];
  return parts.join('; ');
}

function membersOf({ groups, subjects }: EnvironmentView, { user, groups: own }: Pick<Reader, 'user' | 'groups'>): MemberRow[] {
  const asGroups = groups.map(({ name, role }) => ({ name, kind: 'Group', role, isReader: own.includes(name) }));
  const others = subjects.map(({ kind, name, namespace, role }) => ({
    name: namespace === undefined ? name : `${namespace}/${name}`,
    kind: kind === 'ServiceAccount' ? 'Service account' : kind,
    role,
    isReader: (kind === 'User' && name === user) || (kind === 'Group' && own.includes(name)),
  }));
  return [...asGroups, ...others];
}
