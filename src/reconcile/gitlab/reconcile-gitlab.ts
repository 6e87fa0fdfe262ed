import type { Reconcile, ReconcileResult } from '../../controller/controller.ts';
import { textAt } from '../../domain/core/read.ts';
import { environmentSpecOf, GITLAB_DEPLOYMENT_KIND, type NamePrefixes } from '../../domain/gitlab/gitlab-deployment.ts';
import { environmentMonitoring, monitoringFor, deploymentOf, GITLAB_MONITORING_KIND } from '../../domain/gitlab/gitlab-monitoring.ts';
import { hasFinalizer } from '../../domain/kubernetes/finalizers.ts';
import { ifFound, type Cluster } from '../../domain/kubernetes/cluster.ts';
import { findCondition, conditionsOf } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { apiVersionOf, type KubeObject } from '../../domain/kubernetes/resource.ts';
import { ENVIRONMENT, GITLAB_DEPLOYMENT } from '../../domain/kubernetes/resource-types.ts';
import { deleteWithIntent } from '../../domain/kubernetes/deletion-intent.ts';
import { addFinalizer, isKindLost, removeFinalizer } from '../finalizer.ts';
import { type Outcome, outcomeOfMade, type ReportPorts, reportOutcome, withReportedErrors } from '../report-outcome.ts';

/** What reconciling the kinds of GitLab needs of the world. */
interface GitLabPorts extends ReportPorts {
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'get' | 'create' | 'apply' | 'applyStatus' | 'patch' | 'delete'>;
  /** All GitLabDeployments, live. */
  readonly deployments: () => readonly KubeObject[];
  /** All GitLabMonitorings, live. */
  readonly monitorings: () => readonly KubeObject[];
  readonly prefixes: NamePrefixes;
}

/** On an Environment: the name of the GitLabDeployment that it was made of. */
const DEPLOYMENT_ANNOTATION = `${OURS.group}/gitlab-deployment`;

/** Of the fields of an Environment that come of a GitLabDeployment; an admin can set others beside them. */
const FIELD_MANAGER = `${OURS.fieldManager}-gitlab`;

const DRIFT_MS = 5 * 60_000;
const SOON_MS = 1_000;

interface Work {
  readonly deployment: KubeObject;
  /** The Environment of the same name, whoever made it. */
  readonly environment: KubeObject | undefined;
  readonly signal: AbortSignal;
}

/** Makes the function that keeps the Environment of a GitLabDeployment as it says. */
export function createDeploymentReconciler(ports: GitLabPorts): Reconcile {
  return async (name, signal) => {
    const deployment = await ifFound(ports.cluster.get({ ...GITLAB_DEPLOYMENT, name }, { signal }));
    if (deployment === undefined) return {};
    const work = { deployment, environment: await ifFound(ports.cluster.get({ ...ENVIRONMENT, name }, { signal })), signal };
    const isKept = deployment.metadata.deletionTimestamp === undefined;
    const reportLast = async (outcome: Outcome): Promise<void> => await report(ports, work, outcome);
    return await withReportedErrors(signal, reportLast, async () => await (isKept ? keep(ports, work) : finalize(ports, work)));
  };
}

async function keep(ports: GitLabPorts, work: Work): Promise<ReconcileResult> {
  const { cluster } = ports;
  const { deployment, environment, signal } = work;
  const { name } = deployment.metadata;
  if (!hasFinalizer(deployment)) {
    await addFinalizer(cluster, { type: GITLAB_DEPLOYMENT, object: deployment, signal });
    return { requeueAfter: 0 };
  }
  if (environment !== undefined && !isOwn(environment, deployment)) {
    const message = `environment ${name}: it exists already, and this GitLabDeployment did not create it; choose another metadata.name, or delete the Environment`;
    await report(ports, work, { kind: 'Stalled', reason: 'EnvironmentExists', message });
    return { requeueAfter: DRIFT_MS };
  }
  const wanted = wantedEnvironment(ports, deployment);
  // Created first, so that of two who ask for one name only one gets it.
  if (environment === undefined) await cluster.create(ENVIRONMENT, wanted, { fieldManager: FIELD_MANAGER, signal });
  else if (environment.metadata.deletionTimestamp !== undefined) {
    await report(ports, work, {
      kind: 'Reconciling',
      reason: 'EnvironmentTerminating',
      message: `environment ${name} is being deleted, and created again then`,
    });
    return { requeueAfter: SOON_MS };
  }
  const applied = await cluster.apply(ENVIRONMENT, wanted, { fieldManager: FIELD_MANAGER, force: 'force', signal });
  await report(ports, { ...work, environment: applied.object }, outcomeOfMade(applied.object, { words: `environment ${name}` }));
  return { requeueAfter: DRIFT_MS };
}

/** By its uid; by its name where the GitLabDeployment was lost with its CRD and made again. Whoever may write that may write the Environment itself. */
function isOwn({ metadata: { annotations = {}, ownerReferences = [] } }: KubeObject, { metadata }: KubeObject): boolean {
  if (ownerReferences.some(({ uid }) => uid === metadata.uid)) return true;
  return annotations[DEPLOYMENT_ANNOTATION] === metadata.name && ownerReferences.length === 0;
}

function wantedEnvironment({ monitorings, prefixes }: GitLabPorts, deployment: KubeObject): KubeObject {
  const { name, uid = '' } = deployment.metadata;
  const monitoring = monitoringFor(name, monitorings());
  const owner = { apiVersion: deployment.apiVersion, kind: deployment.kind, name, uid, controller: true };
  return {
    apiVersion: apiVersionOf(ENVIRONMENT),
    kind: ENVIRONMENT.kind,
    metadata: { name, annotations: { [DEPLOYMENT_ANNOTATION]: name }, ownerReferences: [owner] },
    spec: environmentSpecOf(deployment, prefixes, monitoring && environmentMonitoring(monitoring)),
  };
}

async function report(ports: GitLabPorts, { deployment, environment, signal }: Work, outcome: Outcome): Promise<void> {
  const own = environment !== undefined && isOwn(environment, deployment) ? environment : undefined;
  const namespace = textAt(own?.status, 'namespace');
  const rest = { ...(own === undefined ? {} : { environment: own.metadata.name }), ...(namespace === undefined ? {} : { namespace }) };
  await reportOutcome(ports, GITLAB_DEPLOYMENT_KIND, { object: deployment, outcome, rest, signal });
}

/** Deletes the Environment, as its reclaim says, and then lets the GitLabDeployment go. When its whole CRD was deleted, nobody asked for that. */
async function finalize(ports: GitLabPorts, work: Work): Promise<ReconcileResult> {
  const { cluster } = ports;
  const { deployment, environment, signal } = work;
  const own = environment !== undefined && isOwn(environment, deployment) ? environment : undefined;
  const removal = { type: GITLAB_DEPLOYMENT, object: deployment, signal };
  if (!hasFinalizer(deployment)) return {};
  if (own === undefined || (await isKindLost(cluster, GITLAB_DEPLOYMENT, signal))) {
    if (own !== undefined) await disown(cluster, own, signal);
    await removeFinalizer(cluster, removal);
    return {};
  }
  const { name, deletionTimestamp } = own.metadata;
  if (deletionTimestamp === undefined) await ifFound(deleteWithIntent(cluster, { type: ENVIRONMENT, object: own, signal }));
  await report(ports, work, { kind: 'Reconciling', reason: 'EnvironmentTerminating', message: `environment ${name} is being deleted` });
  return { requeueAfter: SOON_MS };
}

/** So that the garbage collector does not delete it with the GitLabDeployment. */
async function disown(
  cluster: GitLabPorts['cluster'],
  { metadata: { name, resourceVersion } }: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const body = { metadata: { resourceVersion, ownerReferences: null } };
  await cluster.patch({ ...ENVIRONMENT, name }, { type: 'merge', body }, { fieldManager: OURS.fieldManager, signal });
}

/** Makes the function that says of a GitLabMonitoring what comes of it; its GitLabDeployment brings it into the Environment. */
export function createMonitoringReconciler(ports: GitLabPorts): Reconcile {
  return async (name, signal) => {
    const object = ports.monitorings().find(({ metadata }) => metadata.name === name);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return {};
    await reportOutcome(ports, GITLAB_MONITORING_KIND, { object, outcome: monitoringOutcome(ports, object), rest: {}, signal });
    return {};
  };
}

function monitoringOutcome({ deployments, monitorings }: GitLabPorts, monitoring: KubeObject): Outcome {
  const stalled = (reason: string, message: string): Outcome => ({ kind: 'Stalled', reason, message });
  const name = deploymentOf(monitoring);
  const deployment = deployments().find(({ metadata }) => metadata.name === name);
  const counting = monitoringFor(name, monitorings());
  if (deployment === undefined)
    return stalled('DeploymentNotFound', `spec.gitLabDeploymentRef: there is no GitLabDeployment ${name}; create it, or correct the name`);
  if (counting !== undefined && counting.metadata.name !== monitoring.metadata.name)
    return stalled(
      'DeploymentMonitored',
      `GitLabDeployment ${name} already has the GitLabMonitoring ${counting.metadata.name}; add the queries there`,
    );
  if (environmentMonitoring(monitoring) === undefined)
    return stalled(
      'PrometheusMissing',
      'spec.prometheus is missing: set its url, or the service of a Prometheus in this cluster, to draw charts',
    );
  const ready = findCondition(conditionsOf(deployment), 'Ready');
  if (ready?.status !== 'True') {
    const message = `GitLabDeployment ${name} is not ready${ready === undefined ? '' : `: ${ready.message}`}`;
    return { kind: 'Reconciling', reason: 'DeploymentNotReady', message };
  }
  return { kind: 'Ready', reason: 'Ready', message: `the tab Monitoring of the environment ${name} draws the queries` };
}
