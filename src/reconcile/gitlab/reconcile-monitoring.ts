import type { Reconcile } from '../../controller/controller.ts';
import { deploymentOf, environmentMonitoring, GITLAB_MONITORING_KIND, monitoringFor } from '../../domain/gitlab/gitlab-monitoring.ts';
import { findCondition, conditionsOf } from '../../domain/kubernetes/condition.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { GitLabPorts } from './ports.ts';
import { type Outcome, report } from './report.ts';

/** Makes the function that says of a GitLabMonitoring what comes of it; its GitLabDeployment brings it into the Environment. */
export function createMonitoringReconciler(ports: GitLabPorts): Reconcile {
  return async (name, signal) => {
    const object = ports.monitorings().find(({ metadata }) => metadata.name === name);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return {};
    await report(ports, GITLAB_MONITORING_KIND, { object, outcome: outcomeOf(ports, object), rest: {}, signal });
    return {};
  };
}

function outcomeOf({ deployments, monitorings }: GitLabPorts, monitoring: KubeObject): Outcome {
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
