import { type ControllerParts, type KeySource, mapSource } from '../../controller/controller.ts';
import { DEPLOYER } from '../../domain/environment/deployer.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CRON_JOB } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { createEventRecorder } from '../../kube/events.ts';
import type { Kube } from '../../kube/kube.ts';
import { nameAndVersion, type Reflector, startMetadataReflector } from '../../kube/watch/reflector.ts';
import type { Log } from '../../observe/log.ts';
import { createCronJobReconciler } from '../../reconcile/resource/reconcile-cron-job.ts';

interface CronJobControllerInput {
  readonly kube: Pick<Kube, 'asController' | 'asServiceAccount'>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The controller that runs CronJobs of Environments when users request it by an annotation. */
export function cronJobController({ kube, log, signal }: CronJobControllerInput): ControllerParts {
  const cluster = kube.asController();
  const cronJobs = startMetadataReflector({ cluster, type: CRON_JOB, keep: requestAlone, log, signal });
  const reconcile = createCronJobReconciler({
    cluster,
    asDeployer: (namespace) => kube.asServiceAccount({ namespace, name: DEPLOYER }),
    events: createEventRecorder({ cluster, log, signal }),
    now: () => new Date(),
  });
  return { name: 'cron-job', sources: [requestsIn(cronJobs)], reconcile, workers: 2 };
}

/** The keys of CronJobs with a new request. Their status changes with each job, which is nothing to a request. */
function requestsIn(cronJobs: Pick<Reflector, 'get' | 'onChange'>): KeySource {
  const known = new Map<string, string>();
  return mapSource(cronJobs, (key) => {
    const { uid, annotations = {} } = cronJobs.get(key)?.metadata ?? {};
    const { [OURS.runAt]: runAt, [OURS.runHandledAt]: handledAt } = annotations;
    const isRequested = runAt !== undefined && runAt !== handledAt;
    const request = JSON.stringify([uid, runAt, handledAt]);
    const isKnown = known.get(key) === request;
    if (isRequested) known.set(key, request);
    else known.delete(key);
    return isRequested && !isKnown ? [key] : [];
  });
}

/** Most CronJobs have no annotation of ours. */
function requestAlone(cronJob: KubeObject): KubeObject {
  const kept = Object.entries(cronJob.metadata.annotations ?? {}).filter(([key]) => key === OURS.runAt || key === OURS.runHandledAt);
  return nameAndVersion(cronJob, kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) });
}
