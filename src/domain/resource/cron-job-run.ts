import { createHash } from 'node:crypto';
import { at, objectAt } from '../core/read.ts';
import { recordedUser } from '../kubernetes/creator.ts';
import { OURS } from '../kubernetes/names.ts';
import { JOB } from '../kubernetes/resource-types.ts';
import { apiVersionOf, type KubeObject, type ObjectMeta, timestamp } from '../kubernetes/resource.ts';

/** The state of the annotation by which users request a run of a CronJob. */
export type RunRequest =
  /** There is none, or its run has been handled. */
  | { readonly kind: 'None' }
  | ({ readonly kind: 'Due' } & RequestedRun)
  /** Its time has not come yet. */
  | ({ readonly kind: 'Scheduled' } & RequestedRun)
  /** It never leads to a run. `reason` is that of the Event. */
  | { readonly kind: 'Rejected'; readonly reason: 'InvalidRunAt' | 'StaleRunAt'; readonly message: string };

/** One run that was requested. */
export interface RequestedRun {
  /** The value of the annotation. */
  readonly runAt: string;
  /** The same in milliseconds since 1970. */
  readonly time: number;
  /** The user who requested it, as an annotation says; absent for most requests by kubectl. */
  readonly requestedBy?: string;
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** What the annotations of a CronJob request at this moment, in milliseconds since 1970. */
export function runRequestOf({ annotations = {} }: Pick<ObjectMeta, 'annotations'>, now: number): RunRequest {
  const { [OURS.runAt]: runAt, [OURS.runHandledAt]: handledAt = '' } = annotations;
  if (runAt === undefined || runAt === handledAt) return { kind: 'None' };
  const time = timeOf(runAt);
  if (time === undefined) {
    const example = timestamp(new Date(now));
    return { kind: 'Rejected', reason: 'InvalidRunAt', message: `${OURS.runAt}: no RFC 3339 time: set it to a time such as ${example}` };
  }
  if (time <= (timeOf(handledAt) ?? -Infinity)) {
    const message = `${OURS.runAt}: ${runAt} is not later than the last handled run (${handledAt}): set it to the time of now`;
    return { kind: 'Rejected', reason: 'StaleRunAt', message };
  }
  const requestedBy = recordedUser(annotations[OURS.runRequestedBy]);
  const run = { runAt, time, ...(requestedBy === undefined ? {} : { requestedBy }) };
  return { kind: time > now ? 'Scheduled' : 'Due', ...run };
}

/**
 * The value with which a run is requested now: later than the last handled run, whatever the clocks say.
 *
 * @param now milliseconds since 1970.
 */
export function nextRunAt({ annotations = {} }: Pick<ObjectMeta, 'annotations'>, now: number): string {
  const handled = timeOf(annotations[OURS.runHandledAt] ?? '') ?? -Infinity;
  return new Date(Math.max(now, handled + 1)).toISOString();
}

function timeOf(text: string): number | undefined {
  const time = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** The longest name of a Job whose pods can be named after it. */
const MAX_JOB_NAME_LENGTH = 63;

/** The name of the Job of a run: the same for the same CronJob and time, so that no run has two. @param time milliseconds since 1970. */
export function manualJobName({ name, uid = '' }: ObjectMeta, time: number): string {
  const digest = createHash('sha256').update(`${uid} ${time}`).digest('hex').slice(0, 10);
  const suffix = `-manual-${digest}`;
  return `${name.slice(0, MAX_JOB_NAME_LENGTH - suffix.length)}${suffix}`;
}

/** The Job of a run, as `kubectl create job NAME --from cronjob/…` makes it. */
export function manualJobOf(cronJob: KubeObject, { time, requestedBy }: Omit<RequestedRun, 'runAt'>): KubeObject {
  const template = objectAt(cronJob.spec, 'jobTemplate');
  const { name, uid = '', namespace } = cronJob.metadata;
  return {
    apiVersion: apiVersionOf(JOB),
    kind: JOB.kind,
    metadata: {
      name: manualJobName(cronJob.metadata, time),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...(objectAt(template, 'metadata', 'labels') as Record<string, string>) },
      annotations: {
        ...(objectAt(template, 'metadata', 'annotations') as Record<string, string>),
        'cronjob.kubernetes.io/instantiate': 'manual',
        ...(requestedBy === undefined ? {} : { [OURS.createdBy]: requestedBy }),
      },
      ownerReferences: [{ apiVersion: cronJob.apiVersion, kind: cronJob.kind, name, uid, controller: true }],
    },
    spec: at(template, 'spec'),
  };
}

/** Whether a Job is that of a run of the CronJob. */
export function isRunOf({ metadata: { uid } }: KubeObject, job: KubeObject): boolean {
  return job.metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid) === true;
}
