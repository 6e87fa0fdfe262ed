import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { AppError, isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { httpsAddress } from '../../domain/core/https-address.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import {
  type CiJob,
  type DeploymentOutcome,
  type DeploymentRow,
  deploymentRows,
  type JobDeployment,
} from '../../domain/environment/job-deployment.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { audited } from '../audit/audited.ts';
import type { Ports } from '../ports.ts';
import { findEnvironment, findEnvironmentObject } from './find-environment.ts';

type DeploymentPorts = Pick<Ports, 'clusters' | 'auditLog' | 'deployments'>;

/** What a job reports about its own deployment. What its token says counts more than what it sends. */
export interface DeploymentReport extends RequestOrigin, Partial<Omit<CiJob, 'project'>> {
  readonly environment: string;
  readonly target: string;
  readonly outcome: DeploymentOutcome;
  readonly message?: string;
}

const NO_JOB: CiJob = { project: '', ref: '', commit: '', pipelineURL: '' };

/**
 * Records the start or the outcome of a deployment that was made with other tools.
 *
 * @throws AppError `NotFound` for an environment that the actor does not see, `Forbidden` without the permission to create `deploymentrecords.chandlery.dev` in it.
 */
export async function reportDeployment(ports: DeploymentPorts, actor: Actor, report: DeploymentReport): Promise<JobDeployment> {
  const { environment, target, outcome, message = '', via, requestId } = report;
  const event = { action: 'report deployment', environment, target: `${environment}/${target}`, via, requestId };
  return await audited(ports, actor, event, async () => {
    checkPipeline(report);
    const place = await placeFor(ports, actor, environment, 'create');
    const deployment = { ...jobOf(report), target, outcome, message, user: actor.user, time: timeOf(ports) };
    await ports.deployments.put(place.uid, deployment);
    return deployment;
  });
}

/** The link stands on a page. */
function checkPipeline({ pipelineURL = '' }: DeploymentReport): void {
  if (pipelineURL === '' || httpsAddress(pipelineURL) !== '') return;
  const message = 'Enter an https URL without a user name, at most 500 characters';
  throw new AppError('InvalidInput', `deployment: pipelineURL: ${message}`, { faults: [{ field: 'pipelineURL', message }] });
}

function jobOf({ ciJob: job = NO_JOB, ref = '', commit = '', pipelineURL = '' }: DeploymentReport): CiJob {
  const { project } = job;
  return { project, ref: job.ref || ref, commit: job.commit || commit, pipelineURL: job.pipelineURL || httpsAddress(pipelineURL) };
}

/** The last deployments of each app and workload of an environment. */
export interface EnvironmentDeployments {
  readonly environment: EnvironmentView;
  /** By target. */
  readonly deployments: readonly DeploymentRow[];
  /** The permission without which they are not listed. */
  readonly missing?: MissingPermission;
}

/** @throws AppError `NotFound` for an environment that the actor does not see. */
export async function listDeployments(
  ports: Pick<DeploymentPorts, 'clusters' | 'deployments'>,
  actor: Actor,
  name: string,
): Promise<EnvironmentDeployments> {
  const environment = await findEnvironment(ports.clusters, actor, name);
  try {
    const { uid } = await placeFor(ports, actor, name, 'list');
    return { environment, deployments: deploymentRows(await ports.deployments.list(uid)) };
  } catch (error) {
    if (!isAppError(error, 'Forbidden') || error.missing === undefined) throw error;
    return { environment, deployments: [], missing: error.missing };
  }
}

interface Deploying {
  readonly origin: RequestOrigin;
  readonly environment: string;
  readonly target: string;
}

/** Records what a CI job applies through Chandlery, with its outcome. The action stands, whether that could be recorded or not. */
export async function recordedDeployment<T>(
  ports: DeploymentPorts,
  actor: Actor,
  { origin: { ciJob: job }, environment, target }: Deploying,
  act: () => Promise<T>,
): Promise<T> {
  if (job === undefined) return await act();
  const record = async (outcome: DeploymentOutcome, message: string): Promise<void> => {
    const { uid } = await placeFor(ports, actor, environment, 'create');
    await ports.deployments.put(uid, { ...job, target, outcome, message, user: actor.user, time: timeOf(ports) });
  };
  let result: T;
  try {
    result = await act();
  } catch (error) {
    await record('Failed', isAppError(error) ? error.code : 'Internal').catch(() => undefined);
    throw error;
  }
  // Whoever may not record it, or has lost the environment meanwhile, has applied it all the same.
  await record('Succeeded', '').catch(() => undefined);
  return result;
}

/** No api-server serves it; permissions on it are granted as on any other resource. */
const RECORDS = { group: OURS.group, resource: 'deploymentrecords' } as const;

/** An environment of the same name that comes later has another uid, and none of its deployments. */
async function placeFor(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  environment: string,
  verb: 'create' | 'list',
): Promise<{ readonly uid: string }> {
  const [{ namespace }, { metadata }] = await Promise.all([
    findEnvironment(clusters, actor, environment),
    findEnvironmentObject(clusters, actor, environment),
  ]);
  const missing = { verb, ...RECORDS, namespace };
  const { allowed } = await clusters.asActor(actor).review(missing);
  if (!allowed) throw new AppError('Forbidden', `deployments: you may not ${verb} them in ${environment}`, { missing });
  return { uid: metadata.uid ?? environment };
}

function timeOf({ auditLog }: Pick<Ports, 'auditLog'>): string {
  return new Date(auditLog.now()).toISOString();
}
