import { parseAppDefinitionStatus } from '../../domain/app-definition/app-definition.ts';
import type { AppDefinitionStatus } from '../../domain/app-definition/app-definition-kind.ts';
import { type ConditionInput, findCondition, mergeConditions } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { APP_DEFINITION, APP_REVISION } from '../../domain/kubernetes/resource-types.ts';
import { applyStatus } from '../apply-status.ts';
import type { FetchedDefinition } from './fetch-definition.ts';
import type { DefinitionWork } from './observe.ts';
import { type KubeObject, timestamp } from '../../domain/kubernetes/resource.ts';
import { isFalse, isTrue } from '../conditions.ts';
import { APP_REVISION_KIND } from '../../domain/app-definition/app-revision-kind.ts';
import { newestInChannel } from '../../domain/app-definition/channel.ts';
import { parseInstanceSpec } from '../../domain/app-instance/instance.ts';
import { type Rollout, rolloutCondition, rolloutOf } from '../../domain/app-definition/rollout.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import { specOf } from '../../domain/kind/kind.ts';
import { environmentOf } from '../instance/prerequisites.ts';

/** What is true of an AppDefinition now. */
export interface Report {
  readonly kind: 'Ready' | 'Reconciling' | 'Stalled' | 'Suspended';
  /** CamelCase, as of conditions. */
  readonly reason: string;
  readonly message: string;
  /** Of the other conditions. */
  readonly also?: readonly ConditionInput[];
  /** Fields of the status that are known anew; undefined: that are there no longer. */
  readonly found?: { readonly [K in keyof Omit<AppDefinitionStatus, 'conditions'>]?: AppDefinitionStatus[K] | undefined };
}

/** Writes the status when it differs from what the AppDefinition carries, and an Event when the reason has changed. */
export async function report(
  { ports, definition, signal }: DefinitionWork,
  { kind, reason, message, also = [], found = {} }: Report,
): Promise<void> {
  const { generation = 0, annotations = {} } = definition.metadata;
  const { conditions: earlier, ...before } = parseAppDefinitionStatus(definition);
  const ready = kind === 'Ready' ? isTrue('Ready', reason, message) : isFalse('Ready', reason, message);
  const more = kind === 'Reconciling' || kind === 'Stalled' ? [isTrue(kind, reason, message)] : [];
  const next = [ready, ...more, ...also].map((condition) => ({ ...condition, observedGeneration: generation }));
  const requestedAt = annotations[OURS.reconcileAt];
  const status = {
    ...before,
    ...found,
    observedGeneration: generation,
    ...(requestedAt === undefined ? {} : { lastHandledReconcileAt: requestedAt }),
    conditions: mergeConditions(earlier, next, timestamp(ports.now())),
  };
  if ((await applyStatus(ports.cluster, APP_DEFINITION, { object: definition, status, signal })) === 'Unchanged') return;
  if (findCondition(earlier, 'Ready')?.reason === reason) return;
  await ports.events.record(definition, { type: kind === 'Stalled' ? 'Warning' : 'Normal', reason, message });
}

/** How soon to look at the instances again. */
const LOOK_MS = { rolling: 1_000, stopped: 5_000, skipped: 30_000 };

interface RolloutReport {
  /** Absent with `updatePolicy: Manual`. */
  readonly rollout?: NonNullable<AppDefinitionStatus['rollout']>;
  readonly conditions: readonly ConditionInput[];
  /** Milliseconds. */
  readonly lookAfter: number;
}

/** How far the version of the spec has come over the instances, and which of them may take it now. The controller of instances acts on it. */
export async function rollOut(work: DefinitionWork, instances: readonly KubeObject[], chart: FetchedDefinition): Promise<RolloutReport> {
  const { ports, spec } = work;
  if (spec.updatePolicy !== 'Automatic') return { conditions: [], lookAfter: spec.interval };
  const environments = ports.environments.all();
  const revision = chart.revision.metadata.name;
  const revisions = instances.some((instance) => parseInstanceSpec(instance).channel !== undefined) ? await readRevisions(work) : [];
  const rollout = rolloutOf({
    revision,
    digest: chart.digest,
    instances,
    followed: (channel) => {
      const found = newestInChannel(revisions, channel);
      return found && { revision: found.metadata.name, digest: specOf(APP_REVISION_KIND, found).digest };
    },
    tierOf: (namespace) => {
      const environment = environmentOf(environments, namespace);
      return environment && specOf(ENVIRONMENT_KIND, environment).tier;
    },
    maxConcurrent: spec.rollout.maxConcurrent,
  });
  const { version } = chart.metadata;
  const condition = rolloutCondition(rollout, version);
  await recordProgress(work, condition);
  return { rollout: { version, revision, ...inShort(rollout) }, conditions: [condition], lookAfter: lookAfter(work, rollout) };
}

/** All AppRevisions of the definition, of which each has a schema. */
export async function readRevisions({ ports, definition, signal }: DefinitionWork): Promise<readonly KubeObject[]> {
  const labelSelector = `${OURS.appDefinitionLabel}=${definition.metadata.name}`;
  return (await ports.cluster.list(APP_REVISION, { labelSelector, signal })).items;
}

type Progress = Omit<NonNullable<AppDefinitionStatus['rollout']>, 'version' | 'revision'>;

function inShort({ wave, counts, admitted }: Rollout): Progress {
  const { Updated: updated, Upgrading: upgrading, Pending: pending, Failed: failed, Pinned: pinned, Skipped: skipped } = counts;
  return { ...(wave === undefined ? {} : { wave }), updated, upgrading, pending, failed, pinned, skipped, admitted };
}

function lookAfter({ spec }: DefinitionWork, { counts }: Rollout): number {
  if (counts.Failed > 0) return LOOK_MS.stopped;
  if (counts.Upgrading + counts.Pending > 0) return LOOK_MS.rolling;
  // Those that are new, or unhealthy, may become healthy.
  return counts.Skipped > 0 ? LOOK_MS.skipped : spec.interval;
}

/** An Event when a roll-out begins, stops or ends; one that had nothing to do is no news. */
async function recordProgress({ ports, definition }: DefinitionWork, { status, reason, message }: ConditionInput): Promise<void> {
  const before = findCondition(parseAppDefinitionStatus(definition).conditions, 'RolledOut');
  if (before?.reason === reason || (before === undefined && status === 'True')) return;
  await ports.events.record(definition, { type: reason === 'InstanceFailed' ? 'Warning' : 'Normal', reason, message });
}
