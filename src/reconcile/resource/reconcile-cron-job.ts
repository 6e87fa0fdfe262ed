import type { Reconcile, ReconcileResult } from '../../controller/controller.ts';
import { type AppError, type ErrorCode, isAppError } from '../../domain/core/errors.ts';
import { type Cluster, type EventRecorder, ifFound } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CRON_JOB, JOB, NAMESPACE } from '../../domain/kubernetes/resource-types.ts';
import { apiVersionOf, type KubeObject, parseKey } from '../../domain/kubernetes/resource.ts';
import { isRunOf, manualJobOf, type RequestedRun, runRequestOf } from '../../domain/resource/cron-job-run.ts';

export interface CronJobPorts {
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'get'>;
  /** As the deployer of an Environment, by its namespace. */
  readonly asDeployer: (namespace: string) => Pick<Cluster, 'get' | 'create' | 'patch'>;
  readonly events: EventRecorder;
  readonly now: () => Date;
}

/** Timers hold no more than 24 days. */
const MAX_WAIT_MS = 24 * 3_600_000;

/**
 * Makes the function that runs CronJobs of Environments when users request it. Its key is `namespace/name`.
 *
 * The Job comes from the template of the CronJob as it is then. It is named after the request and created before the request is marked as handled: work that
 * is repeated, or that goes on after a controller was killed, finds the Job and creates no other one.
 */
export function createCronJobReconciler(ports: CronJobPorts): Reconcile {
  return async (key, signal) => {
    const { namespace = '', name } = parseKey(key);
    if (!(await isInEnvironment(ports, namespace, signal))) return {};
    const found = await ifFound(ports.asDeployer(namespace).get({ ...CRON_JOB, namespace, name }, { signal }));
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return {};
    return await handle(ports, { ...found, apiVersion: apiVersionOf(CRON_JOB), kind: CRON_JOB.kind }, signal);
  };
}

async function handle(ports: CronJobPorts, cronJob: KubeObject, signal: AbortSignal): Promise<ReconcileResult> {
  const { events } = ports;
  const now = ports.now().getTime();
  const request = runRequestOf(cronJob.metadata, now);
  switch (request.kind) {
    case 'None':
      return {};
    case 'Rejected':
      await events.record(cronJob, { type: 'Warning', reason: request.reason, message: request.message });
      return {};
    case 'Scheduled':
      await events.record(cronJob, { type: 'Normal', reason: 'RunScheduled', message: `Runs at ${request.runAt}${by(request)}` });
      return { requeueAfter: Math.min(request.time - now, MAX_WAIT_MS) };
    case 'Due':
      await events.record(cronJob, await createJob(ports, cronJob, { request, signal }));
      await markHandled(ports, cronJob, { request, signal });
      return {};
    default:
      return request satisfies never;
  }
}

/** The label guards itself: only users who may change the Environment set it. */
async function isInEnvironment({ cluster }: CronJobPorts, name: string, signal: AbortSignal): Promise<boolean> {
  const namespace = await ifFound(cluster.get({ ...NAMESPACE, name }, { signal, answer: 'metadata' }));
  return namespace?.metadata.labels?.[OURS.environmentLabel] !== undefined;
}

type EventInput = Parameters<EventRecorder['record']>[1];

interface DueRun {
  readonly request: RequestedRun;
  readonly signal: AbortSignal;
}

/** Errors that trying again does not change. The user sees them and requests another run when their cause is gone. */
const TERMINAL: readonly ErrorCode[] = ['AdmissionDenied', 'Forbidden', 'InvalidInput', 'QuotaExceeded'];

/** Creates the Job of a run unless it exists. @returns the Event about it. @throws AppError for what may go by itself. */
async function createJob({ asDeployer }: CronJobPorts, cronJob: KubeObject, { request, signal }: DueRun): Promise<EventInput> {
  const job = manualJobOf(cronJob, request);
  const { name, namespace = '' } = job.metadata;
  const cluster = asDeployer(namespace);
  try {
    await cluster.create(JOB, job, { fieldManager: OURS.fieldManager, signal });
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (TERMINAL.includes(error.code)) return failed(error, request);
    if (error.code !== 'AlreadyExists') throw error;
    const existing = await cluster.get({ ...JOB, namespace, name }, { signal, answer: 'metadata' });
    if (!isRunOf(cronJob, existing)) return failed(error, request);
  }
  return { type: 'Normal', reason: 'SuccessfulCreate', message: `Created job ${name} for the run at ${request.runAt}${by(request)}` };
}

function failed({ message }: AppError, request: RequestedRun): EventInput {
  return {
    type: 'Warning',
    reason: 'FailedCreate',
    message: `Error creating job for the run at ${request.runAt}${by(request)}: ${message}`,
  };
}

function by({ requestedBy }: RequestedRun): string {
  return requestedBy === undefined ? '' : `, requested by ${requestedBy}`;
}

/** The test leaves a request that has come meanwhile as it is. @throws AppError `InvalidInput` then, and is tried again. */
async function markHandled({ asDeployer }: CronJobPorts, { metadata }: KubeObject, { request: { runAt }, signal }: DueRun): Promise<void> {
  const { name, namespace = '', uid, annotations = {} } = metadata;
  const path = (annotation: string): string => `/metadata/annotations/${annotation.replaceAll('/', '~1')}`;
  const requester = annotations[OURS.runRequestedBy];
  const body = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: path(OURS.runAt), value: runAt },
    { op: 'add', path: path(OURS.runHandledAt), value: runAt },
    ...(requester === undefined ? [] : [{ op: 'remove', path: path(OURS.runRequestedBy) }]),
  ];
  const ref = { ...CRON_JOB, namespace, name };
  await asDeployer(namespace).patch(ref, { type: 'json', body }, { fieldManager: OURS.fieldManager, signal, answer: 'metadata' });
}
