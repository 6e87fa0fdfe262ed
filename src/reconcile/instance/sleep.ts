import type { ReconcileResult } from '../../controller/controller.ts';
import { sleepFact, type SleepFact, type WorkloadPatch } from '../../domain/app-instance/sleep.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { type ConditionInput, findCondition } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { isFalse, isTrue, notReady, reconciling, released } from '../conditions.ts';
import type { OwnRelease } from '../helm-release/observe-release.ts';
import { auditObjects } from './audit-release.ts';
import { isToSleep } from './expiry.ts';
import { AT_ONCE } from './release-actions.ts';
import { type ObjectMemory, readObjects } from './observe-objects.ts';
import { INTERVAL_MS, writeStatus } from './report.ts';
import type { ActiveState } from './state.ts';
import type { Work } from './work.ts';

type SleepState = Extract<ActiveState, { kind: 'SleepDue' | 'Asleep' }>;

const ASLEEP = 'Asleep';

/** Looks at the workloads when the instance is to sleep, or has not woken yet; undefined for all others. */
export async function observeSleep(memory: ObjectMemory, work: Work, release: OwnRelease): Promise<SleepFact | undefined> {
  const wanted = isToSleep(work);
  if (release.status !== 'deployed' || !(wanted || isAsleep(work))) return undefined;
  return sleepFact(await readObjects(memory, work, release), wanted ? 'Sleep' : 'Wake');
}

/** Whether workloads may still be at zero because the instance slept. */
function isAsleep({ status }: Work): boolean {
  const condition = findCondition(status.conditions, ASLEEP);
  return condition !== undefined && condition.reason !== 'Awake';
}

/** When the instance woke last, in milliseconds since the epoch; 0 when it never slept. */
export function wokenAt({ status }: Work): number {
  const condition = findCondition(status.conditions, ASLEEP);
  return condition?.reason === 'Awake' ? Date.parse(condition.lastTransitionTime) || 0 : 0;
}

/** Scales what is to be scaled, else says that the instance is asleep. */
export async function reconcileSleep(work: Work, { kind, release, sleep }: SleepState): Promise<ReconcileResult> {
  return kind === 'SleepDue' ? await changeSleep(work, release, sleep) : await reportAsleep(work, release, sleep);
}

/**
 * Scales the workloads of the release to zero, or back, as the deployer. That it is about to is written down first: a worker that dies meanwhile leaves nothing at zero
 * that nobody would wake. Each workload remembers its own count.
 */
async function changeSleep(work: Work, release: OwnRelease, { changes }: SleepFact): Promise<ReconcileResult> {
  const names = changes.map(({ workload }) => `${workload.kind} ${workload.metadata.name}`).sort();
  const wanted = isToSleep(work);
  const doing = wanted
    ? isFalse(ASLEEP, 'ScalingDown', `Scaling to zero: ${names.join(', ')}`)
    : isFalse(ASLEEP, 'Waking', `Scaling to the replicas of before: ${names.join(', ')}`);
  const ready = notReady(doing);
  const underWay = { ready, phase: reconciling(doing), request: 'Underway', release } as const;
  const written = changes.length === 0 ? work : await writeStatus(work, { ...underWay, conditions: [doing] });
  await Promise.all(changes.map(async ({ workload, patch }) => await scale(written, workload, patch)));
  if (names.length > 0) await auditObjects(work, { action: wanted ? 'put release to sleep' : 'wake release', changed: names });
  work.ports.log.info(wanted ? 'An instance was put to sleep' : 'An instance was woken', {
    kind: work.kind.kind,
    ...work.release,
    workloads: names.length,
  });
  if (!wanted) await writeStatus(written, { ...underWay, conditions: [AWAKE, WAKING] });
  return AT_ONCE;
}

const AWAKE: ConditionInput = isFalse(ASLEEP, 'Awake', 'The workloads have their replicas again');
/** Until they have been looked at again. */
const WAKING: ConditionInput = isFalse('Healthy', 'Progressing', 'The workloads are starting');

async function scale({ deployer, ports, release, signal }: Work, workload: KubeObject, patch: WorkloadPatch): Promise<void> {
  const { apiVersion, kind, metadata } = workload;
  const type = await ports.discovery.find(apiVersion, kind, signal);
  if (type === undefined) return;
  const body = { ...patch };
  await ifFound(
    deployer.cluster.patch(
      { ...type, namespace: release.namespace, name: metadata.name },
      { type: 'merge', body },
      { fieldManager: OURS.fieldManager, signal },
    ),
  );
}

/** Says that nothing of the release runs, and which workloads come back. */
async function reportAsleep(work: Work, release: OwnRelease, { asleep, scale }: SleepFact): Promise<ReconcileResult> {
  const what = asleep.length === 0 ? 'the release has no workloads that run' : `scaled to zero: ${asleep.join(', ')}`;
  const [reason, remedy] = work.spec.sleep ? ['Asleep', 'set spec.sleep to false'] : ['Expired', 'set a later spec.expires'];
  const message = `${reason}, ${what}. To wake the instance, ${remedy}`;
  await writeStatus(work, {
    ready: isFalse('Ready', reason, message),
    conditions: [
      released(work.release, release.revision),
      isTrue('Healthy', 'Suspended', message),
      isTrue(ASLEEP, 'ScaledToZero', message),
    ],
    release,
    scale,
    failures: 0,
  });
  return { requeueAfter: INTERVAL_MS };
}
