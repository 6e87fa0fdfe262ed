import { dedicatedNamespaceOf } from '../../domain/app-instance/instance.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import { HEALTH_STATUSES } from '../../domain/health/health.ts';
import { nodesOf } from '../../domain/tree/tree.ts';
import type { WorkloadPod, WorkloadRevision } from '../../domain/workload/revisions.ts';
import { isBatch, type Rollout } from '../../domain/workload/rollout.ts';
import type { Workload } from '../../domain/workload/workload.ts';
import type { InstanceReading } from '../../operation/instance/list-events.ts';
import { type Badge, healthBadge } from '../page/badges.ts';
import { resourcePath } from '../page/paths.ts';
import { nodePath, treePlace } from '../page/tree-view.ts';
import { type FrameInput, instanceFrame, type InstanceFrame, instanceTabPath } from './instance-frame.ts';

/** A view of `environments/instances/workloads`. */
export interface WorkloadsTab extends InstanceFrame {
  readonly live: WorkloadsLive;
  readonly streamHref: string;
}

/** What changes while somebody looks: a view of `environments/instances/workloads-live`. */
export interface WorkloadsLive {
  readonly workloads: readonly WorkloadRow[];
  /** Further ones. */
  readonly more: number;
  /** Why there are none. */
  readonly empty: string;
  readonly unreadable: readonly string[];
  readonly refreshHref: string;
  /** The same as JSON. */
  readonly jsonHref: string;
}

interface WorkloadRow {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  /** Empty where it has no page. */
  readonly href: string;
  readonly health?: Badge;
  readonly isCanary: boolean;
  readonly rollout: RolloutView;
  /** `2 of 3 ready` */
  readonly ready: string;
  readonly restarts: number;
  readonly version: string;
  readonly images: readonly string[];
  readonly change: { readonly manager: string; readonly time: string; readonly notes: readonly string[] };
  readonly podCount: number;
  readonly revisions: readonly RevisionRow[];
  /** Whether its pods are shown from the beginning. */
  readonly isOpen: boolean;
}

interface RevisionRow {
  /** `Revision 4, current` */
  readonly title: string;
  readonly hash: string;
  readonly isCanary: boolean;
  readonly version: string;
  /** `1 of 2 pods ready` */
  readonly ready: string;
  readonly pods: readonly PodRow[];
  /** Further ones. */
  readonly more: number;
}

interface PodRow {
  readonly name: string;
  readonly href: string;
  readonly logsHref: string;
  readonly status: Badge;
  readonly message: string;
  readonly isCanary: boolean;
  readonly restarts: number;
  readonly node: string;
  readonly created: string;
}

const MAX_WORKLOADS = 200;
/** Of a revision. */
const MAX_PODS = 50;
/** A page of so many workloads shows all their pods. */
const MAX_EXPANDED = 3;

export function workloadsTab(reading: InstanceReading, around: Omit<FrameInput, 'instance'>): WorkloadsTab {
  const { instance } = reading;
  return {
    ...instanceFrame({ instance, ...around }, 'workloads'),
    live: workloadsLive(reading),
    streamHref: `${instanceTabPath(instance, 'workloads')}/stream`,
  };
}

export function workloadsLive({ instance, tree, workloads }: InstanceReading): WorkloadsLive {
  const path = instanceTabPath(instance, 'workloads');
  const place = treePlace(instance, tree.root);
  const hrefs = new Map(nodesOf(tree.root).map((node) => [node.uid, nodePath(place, node)]));
  const shown = workloads.toSorted((a, b) => severity(b) - severity(a)).slice(0, MAX_WORKLOADS);
  return {
    workloads: shown.map((workload, index) => ({
      ...workloadRow(workload, instance),
      id: `workload-${index}`,
      href: hrefs.get(workload.uid) ?? '',
      isOpen: shown.length <= MAX_EXPANDED || workload.rollout.state !== 'Complete',
    })),
    more: workloads.length - shown.length,
    empty: tree.unreadable.some((kind) => WORKLOAD_KINDS.has(kind)) ? FORBIDDEN : NONE,
    unreadable: tree.unreadable,
    refreshHref: path,
    jsonHref: `/api/v1${path}`,
  };
}

const WORKLOAD_KINDS = new Set(['Pod', 'Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'CronJob']);
const FORBIDDEN = 'You may not list the kinds that run pods in this environment. Ask an admin for the role developer or viewer.';
const NONE = 'No resource of this app runs pods in this environment yet. Its Operator may still be creating them, or run them elsewhere.';

/** The worst first; equal ones stay by kind and name. */
function severity({ health, rollout }: Workload): number {
  const rank = health === undefined ? -1 : HEALTH_STATUSES.indexOf(health.status);
  return rank * 4 + ['Complete', 'Paused', 'Progressing', 'Stalled'].indexOf(rollout.state);
}

function workloadRow(workload: Workload, instance: InstanceView): Omit<WorkloadRow, 'id' | 'href' | 'isOpen'> {
  const { kind, name, health, track, rollout, desired, ready, restarts, version, images, change, revisions } = workload;
  const podCount = revisions.reduce((sum, { pods }) => sum + pods.length, 0);
  return {
    kind,
    name,
    ...(health === undefined ? {} : { health: healthBadge(health.status) }),
    isCanary: track === 'canary',
    rollout: rolloutView(rollout),
    ready: `${ready} of ${desired} ${isBatch(workload) ? 'completed' : 'ready'}`,
    restarts,
    version,
    images: images.map(({ image }) => image),
    change: { manager: change.manager, time: change.time, notes: notesOf(change) },
    podCount,
    revisions: revisions.map((revision) => revisionRow(revision, instance)),
  };
}

function notesOf({ cause, gitlab }: Workload['change']): string[] {
  const labels = Object.entries(gitlab).map(([key, value]) => `${key} ${value}`);
  return [...(cause === '' ? [] : [cause]), ...(labels.length === 0 ? [] : [`GitLab: ${labels.join(', ')}`])];
}

function revisionRow({ name, number, current, track, version, pods }: WorkloadRevision, instance: InstanceView): RevisionRow {
  const worstFirst = pods.toSorted((a, b) => podSeverity(b) - podSeverity(a));
  const ready = pods.filter((pod) => pod.ready).length;
  return {
    title: number === undefined ? `${current ? 'Current' : 'Earlier'} revision` : `Revision ${number}${current ? ', current' : ''}`,
    hash: name,
    isCanary: track === 'canary',
    version,
    ready: `${ready} of ${pods.length} ${pods.length === 1 ? 'pod' : 'pods'} ready`,
    pods: worstFirst.slice(0, MAX_PODS).map((pod) => podRow(pod, instance)),
    more: Math.max(0, pods.length - MAX_PODS),
  };
}

function podSeverity({ health, ready }: WorkloadPod): number {
  return (health === undefined ? -1 : HEALTH_STATUSES.indexOf(health.status)) * 2 + (ready ? 0 : 1);
}

function podRow({ name, status, health, track, restarts, node, created }: WorkloadPod, instance: InstanceView): PodRow {
  const { tone, symbol } = healthBadge(health?.status ?? 'Unknown');
  return {
    name,
    href: podHref(instance, name),
    logsHref: `${instanceTabPath(instance, 'logs')}?${new URLSearchParams({ pod: name }).toString()}`,
    status: { label: status, tone, ...(symbol === undefined ? {} : { symbol }) },
    message: health === undefined || health.status === 'Healthy' ? '' : health.message,
    isCanary: track === 'canary',
    restarts,
    node,
    created,
  };
}

/** Pods are where the release is. */
function podHref({ environment, app, name: instance, object }: InstanceView, name: string): string {
  const own = dedicatedNamespaceOf(object) === undefined ? {} : { dedicatedTo: `${app}/${instance}` };
  return resourcePath(environment, { resource: 'pods', name, ...own });
}

/** A view of `parts/rollout`. */
export interface RolloutView {
  readonly state: Badge;
  readonly percentage: number;
  readonly message: string;
  /** Empty for what sends no share of the traffic to a canary. */
  readonly canary: string;
}

export function rolloutView({ state, percentage, message, canaryWeight }: Rollout): RolloutView {
  return {
    state: { label: state, ...STATES[state] },
    percentage,
    message,
    canary: canaryWeight === undefined ? '' : `${canaryWeight} % of the traffic to the canary`,
  };
}

const STATES: Readonly<Record<Rollout['state'], Omit<Badge, 'label'>>> = {
  Complete: { tone: 'good', symbol: 'check' },
  Progressing: { tone: 'busy', symbol: 'busy' },
  Paused: { tone: 'idle', symbol: 'pause' },
  Stalled: { tone: 'bad', symbol: 'bad' },
};
