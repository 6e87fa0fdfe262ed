import { parseInstanceSpec, parseInstanceStatus } from '../app-instance/instance.ts';
import { EXPIRED } from '../app-instance/expiry.ts';
import type { InstanceStatus } from '../app-instance/instance-kind.ts';
import { tierRank } from '../environment/environment.ts';
import { findCondition, type ConditionInput } from '../kubernetes/condition.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/**
 * What a roll-out means for an instance. `Pending` waits for its turn. `Skipped` is left out: suspended, in no Environment, new, or neither healthy before nor after.
 * `Failed` was healthy at another version, and is not at this one.
 */
export const ROLLOUT_RESULTS = ['Failed', 'Upgrading', 'Pending', 'Skipped', 'Pinned', 'Updated'] as const;
export type RolloutResult = (typeof ROLLOUT_RESULTS)[number];

/** An instance in a roll-out. */
export interface RolloutInstance {
  readonly namespace: string;
  readonly name: string;
  /** Of its Environment; empty without one. */
  readonly tier: string;
  /** That runs, or is being installed; empty before the first. */
  readonly version: string;
  readonly result: RolloutResult;
  /** Why, a sentence; empty where the result says all. */
  readonly message: string;
}

export interface Rollout {
  /** The tier whose instances are upgraded now, or whose failure stopped the roll-out; absent when none is left. */
  readonly wave?: string;
  /** In the order in which they are upgraded. */
  readonly instances: readonly RolloutInstance[];
  readonly counts: Readonly<Record<RolloutResult, number>>;
  /** Those that may take the version now, as `namespace/name`. */
  readonly admitted: readonly string[];
}

/** What an instance is upgraded to. */
interface RolloutTarget {
  /** The name of the AppRevision. */
  readonly revision: string;
  /** Of its chart. */
  readonly digest: string;
}

interface RolloutInput {
  /** The name of the current AppRevision. */
  readonly revision: string;
  /** Of its chart. */
  readonly digest: string;
  readonly instances: readonly KubeObject[];
  /** What an instance with `spec.channel` goes to; undefined where no version is within it. Default: none has a channel. */
  readonly followed?: (channel: string) => RolloutTarget | undefined;
  /** The tier of the Environment of a namespace; undefined where there is none. */
  readonly tierOf: (namespace: string) => string | undefined;
  /** Instances that are upgraded at the same time. */
  readonly maxConcurrent: number;
}

/**
 * How far a version has come over the instances of a definition, and who is next: tier after tier, development first. After the first failure nobody is next.
 * Everything follows from what the instances report, so it survives whoever computes it. Pure.
 */
export function rolloutOf({ maxConcurrent, ...input }: RolloutInput): Rollout {
  const staying = input.instances.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const instances = staying.map((instance) => resultOf(instance, input)).sort(inOrder);
  const having = (...results: readonly RolloutResult[]): RolloutInstance[] => instances.filter(({ result }) => results.includes(result));
  const [failed] = having('Failed');
  const [open] = having('Upgrading', 'Pending');
  const wave = failed?.tier ?? open?.tier;
  const begun = having('Upgrading', 'Failed');
  const room = failed === undefined ? Math.max(0, maxConcurrent - begun.length) : 0;
  const next = having('Pending')
    .filter(({ tier }) => tier === wave)
    .slice(0, room);
  return {
    ...(wave === undefined ? {} : { wave }),
    instances,
    counts: Object.fromEntries(ROLLOUT_RESULTS.map((result) => [result, having(result).length])) as Rollout['counts'],
    admitted: [...begun, ...next].map(({ namespace, name }) => `${namespace}/${name}`),
  };
}

/** The condition `RolledOut`. @param version of the chart. */
export function rolloutCondition({ wave = '', instances, counts }: Rollout, version: string): ConditionInput {
  const total = instances.length - counts.Pinned - counts.Skipped;
  const left = [
    ...(counts.Pinned === 0 ? [] : [`${counts.Pinned} with a version or channel of their own`]),
    ...(counts.Skipped === 0 ? [] : [`${counts.Skipped} suspended, asleep, new or unhealthy`]),
  ];
  const besides = left.length === 0 ? '' : `; left alone: ${left.join(', ')}`;
  const progress = `${counts.Updated} of ${total} ${total === 1 ? 'instance runs' : 'instances run'} version ${version}${besides}`;
  const failed = instances.find(({ result }) => result === 'Failed');
  const type = 'RolledOut';
  if (failed !== undefined) {
    const { namespace, name, message } = failed;
    const remedy = 'Correct the instance, set its spec.version, or offer another version';
    const why = `Stopped in tier ${wave}: instance ${namespace}/${name} failed: ${message}`;
    return { type, status: 'False', reason: 'InstanceFailed', message: `${why}. ${progress}. ${remedy}` };
  }
  if (counts.Upgrading + counts.Pending > 0)
    return { type, status: 'False', reason: 'RollingOut', message: `Upgrading the instances in tier ${wave}: ${progress}` };
  return { type, status: 'True', reason: 'RolledOut', message: progress };
}

function resultOf(instance: KubeObject, { tierOf, ...input }: Omit<RolloutInput, 'maxConcurrent'>): RolloutInstance {
  const { namespace = '', name } = instance.metadata;
  const status = parseInstanceStatus(instance);
  const tier = tierOf(namespace);
  const [result, message = ''] = judge(instance, { status, tier, ...input });
  return { namespace, name, tier: tier ?? '', version: status.version ?? '', result, message };
}

interface Judged extends Pick<RolloutInput, 'revision' | 'digest' | 'followed'> {
  readonly status: InstanceStatus;
  readonly tier: string | undefined;
}

function judge(instance: KubeObject, { status, tier, followed, ...current }: Judged): [RolloutResult, string?] {
  const { version, channel, suspend, sleep } = parseInstanceSpec(instance);
  if (version !== undefined) return ['Pinned', `spec.version is ${version}`];
  if (suspend) return ['Skipped', 'spec.suspend is set'];
  if (sleep) return ['Skipped', 'It is asleep'];
  if (findCondition(status.conditions, EXPIRED)?.status === 'True') return ['Skipped', 'It has expired'];
  if (tier === undefined) return ['Skipped', 'No Environment has reserved its namespace'];
  if (status.revision === undefined) return ['Skipped', 'It is not installed yet'];
  if (channel === undefined || followed === undefined) return judgeFor(status, current);
  const target = followed(channel);
  if (target === undefined) return ['Skipped', `No version is within spec.channel ${channel}`];
  const judged = judgeFor(status, target);
  return judged[0] === 'Updated' && target.revision !== current.revision ? ['Pinned', `spec.channel is ${channel}`] : judged;
}

function judgeFor(status: InstanceStatus, { revision, digest }: RolloutTarget): [RolloutResult, string?] {
  const { revision: own, history, conditions, lastAttempted } = status;
  const ready = findCondition(conditions, 'Ready');
  if (own === revision && (ready?.status === 'True' || wasHealthyWith(history, digest))) return ['Updated'];
  const isAttempted = own === revision || (lastAttempted?.chartDigest === digest && ready?.status !== 'True');
  if (!isAttempted) return ['Pending'];
  const isFaulty = hasFailed(status);
  const before = history.find(({ chartDigest }) => chartDigest !== digest);
  if (before?.healthy !== true) return ['Skipped', isFaulty ? (ready?.message ?? '') : 'It was not healthy before'];
  return isFaulty ? ['Failed', ready?.message ?? ''] : ['Upgrading'];
}

/** Whether the newest revisions, as many as are of the chart, were healthy once. What people change after that is no matter of the roll-out. */
function wasHealthyWith(history: InstanceStatus['history'], digest: string): boolean {
  const other = history.findIndex(({ chartDigest }) => chartDigest !== digest);
  return history.slice(0, other < 0 ? history.length : other).some(({ healthy }) => healthy === true);
}

function hasFailed({ conditions, failures }: InstanceStatus): boolean {
  return failures > 0 || findCondition(conditions, 'Stalled')?.status === 'True';
}

function inOrder(a: RolloutInstance, b: RolloutInstance): number {
  const place = ({ namespace, name }: RolloutInstance): string => `${namespace}/${name}`;
  return tierRank(a.tier) - tierRank(b.tier) || a.tier.localeCompare(b.tier) || place(a).localeCompare(place(b));
}
