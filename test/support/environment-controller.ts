import { type KeySource, mapSource, runController } from '../../src/controller/controller.ts';
import type { OperatorKinds } from '../../src/domain/catalog/operator-kinds.ts';
import { type GrantWatch, grantPorts, watchGrants } from '../../src/compose/environment/watch-grants.ts';
import { createEventRecorder } from '../../src/kube/events.ts';
import type { Kube } from '../../src/kube/kube.ts';
import type { Log } from '../../src/observe/log.ts';
import type { WantedDeployers } from '../../src/reconcile/environment/app-deployers.ts';
import type { EnvironmentApp } from '../../src/reconcile/environment/ports.ts';
import { createEnvironmentReconciler } from '../../src/reconcile/environment/reconcile-environment.ts';

interface EnvironmentControllerInput {
  readonly kube: Kube;
  /** The Apps of the catalogue; default: none. */
  readonly apps?: () => readonly EnvironmentApp[];
  /** The kinds that Operators bring; default: none. */
  readonly operatorKinds?: () => readonly OperatorKinds[];
  /** The names of Environments. */
  readonly sources: readonly KeySource[];
  /** Which of them are this world's: several worlds share a cluster at the same time, and each has a controller. */
  readonly isOwn: (environment: string) => boolean;
  /** Default: it watches them itself, and learns of their changes at the next pass. */
  readonly grants?: GrantWatch;
  /** The deployers of apps by namespace. Default: unknown, so that those of other controllers stay. */
  readonly appDeployers?: (namespace: string) => WantedDeployers;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Runs the controller of Environments until the signal aborts, with the settings that Chandlery has by default. */
export async function runEnvironmentController({
  kube,
  apps = () => [],
  operatorKinds = () => [],
  appDeployers = () => ({ deployers: [], isListed: false }),
  sources,
  isOwn,
  log,
  signal,
  grants = watchGrants({ kube, log, signal }),
}: EnvironmentControllerInput): Promise<void> {
  const cluster = kube.asController();
  const reconcile = createEnvironmentReconciler({
    cluster,
    discovery: kube,
    apps,
    operatorKinds,
    appDeployers,
    grants: grantPorts(grants, () => []),
    appLimits: () => ({ hard: {}, pending: false }),
    events: createEventRecorder({ cluster, log }),
    settings: { projectPrefix: '' },
    now: () => new Date(),
  });
  await runController({
    name: 'environment',
    sources: sources.map((source) => mapSource(source, (name) => (isOwn(name) ? [name] : []))),
    reconcile,
    workers: 2,
    log,
    signal,
  });
}
