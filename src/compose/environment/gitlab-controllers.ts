import { type ControllerParts, type KeySource, mapSource } from '../../controller/controller.ts';
import type { NamePrefixes } from '../../domain/gitlab/gitlab-deployment.ts';
import { deploymentOf } from '../../domain/gitlab/gitlab-monitoring.ts';
import { GITLAB_DEPLOYMENT, GITLAB_MONITORING } from '../../domain/kubernetes/resource-types.ts';
import { createEventRecorder } from '../../kube/events.ts';
import type { Kube } from '../../kube/kube.ts';
import { startReflector } from '../../kube/watch/reflector.ts';
import type { Log } from '../../observe/log.ts';
import { createDeploymentReconciler, createMonitoringReconciler } from '../../reconcile/gitlab/reconcile-gitlab.ts';

interface GitLabControllersInput {
  readonly kube: Pick<Kube, 'asController'>;
  /** The names of all Environments; that of a GitLabDeployment has its name. */
  readonly environments: KeySource;
  readonly prefixes: NamePrefixes;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The controllers of GitLabDeployments and of GitLabMonitorings. */
export function gitLabControllers({ kube, environments, prefixes, log, signal }: GitLabControllersInput): ControllerParts[] {
  const cluster = kube.asController();
  const deployments = startReflector({ cluster, type: GITLAB_DEPLOYMENT, log, signal });
  const monitorings = startReflector({ cluster, type: GITLAB_MONITORING, log, signal });
  const events = createEventRecorder({ cluster, log, signal });
  const now = (): Date => new Date();
  const ports = { cluster, deployments: deployments.all, monitorings: monitorings.all, events, prefixes, now };
  const names = (): string[] => deployments.all().map(({ metadata }) => metadata.name);
  const monitoringsOf = (deployment: string): string[] =>
    monitorings.all().flatMap((one) => (deploymentOf(one) === deployment ? [one.metadata.name] : []));
  // Which one a monitoring was of is not known any more when it is gone, or names another one.
  const monitored = mapSource(monitorings, names);
  const ofEnvironment = mapSource(environments, (name) => (deployments.get(name) === undefined ? [] : [name]));
  const others = mapSource(monitorings, () => monitorings.all().map(({ metadata }) => metadata.name));
  return [
    {
      name: 'gitlab-deployment',
      sources: [deployments, ofEnvironment, monitored],
      reconcile: createDeploymentReconciler(ports),
      workers: 1,
    },
    {
      name: 'gitlab-monitoring',
      sources: [others, mapSource(deployments, monitoringsOf)],
      reconcile: createMonitoringReconciler(ports),
      workers: 1,
    },
  ];
}
