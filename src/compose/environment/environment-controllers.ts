import { type ControllerParts, mapSource } from '../../controller/controller.ts';
import { countQuota } from '../../domain/app-definition/limits.ts';
import { buildCatalog } from '../../domain/catalog/app-catalog.ts';
import { createEventRecorder } from '../../kube/events.ts';
import { operatorKinds } from '../../domain/catalog/operator-kinds.ts';
import type { Kube } from '../../kube/kube.ts';
import type { LiveCatalog } from '../../kube/watch/catalog-cache.ts';
import type { Log } from '../../observe/log.ts';
import { ENVIRONMENT_SETTINGS } from '../../reconcile/environment/environment-spec.ts';
import type { FailedRules } from '../../reconcile/health-rules.ts';
import { createEnvironmentReconciler } from '../../reconcile/environment/reconcile-environment.ts';
import { createInstanceCountReconciler } from '../../reconcile/environment/report-instances.ts';
import type { InstancesInNamespaces } from '../app-instance/count-instances.ts';
import { type DefinitionsInNamespaces, watchDeployers } from './watch-deployers.ts';
import { namespaceOf, watchGenerated } from './watch-generated.ts';
import { grantPorts, watchGrants } from './watch-grants.ts';

interface EnvironmentsInput {
  readonly kube: Kube;
  readonly catalog: LiveCatalog;
  readonly log: Log;
  readonly failedRules?: FailedRules;
  readonly signal: AbortSignal;
}

/** The controller of Environments, and the one that counts the instances in each. */
export function environmentControllers(
  input: EnvironmentsInput,
  instances: InstancesInNamespaces & DefinitionsInNamespaces,
): readonly ControllerParts[] {
  return [specs(input, instances), counts(input, instances)];
}

function specs(
  { kube, catalog, failedRules, log, signal }: EnvironmentsInput,
  { instancesIn, ...placed }: InstancesInNamespaces & DefinitionsInNamespaces,
): ControllerParts {
  const cluster = kube.asController();
  const grants = watchGrants({ kube, log, signal });
  const deployers = watchDeployers({ ...catalog.reflectors, ...placed });
  const reconcile = createEnvironmentReconciler({
    cluster,
    discovery: kube,
    apps: () =>
      buildCatalog(catalog.operators(), catalog.customResourceDefinitions(), catalog.appDefinitions()).map(({ summary }) => summary),
    operatorKinds: () => operatorKinds(catalog.operators(), catalog.customResourceDefinitions()),
    appLimits: () => countQuota(catalog.appDefinitions(), catalog.customResourceDefinitions(), Date.now()),
    instancesIn,
    ...(failedRules === undefined ? {} : { failedRules }),
    appDeployers: deployers.wantedIn,
    grants: grantPorts(grants, catalog.catalogSources),
    events: createEventRecorder({ cluster, log, signal }),
    settings: ENVIRONMENT_SETTINGS,
    now: () => new Date(),
  });
  const { environments: all, customResourceDefinitions: definitions, operators, appDefinitions } = catalog.reflectors;
  return {
    name: 'environment',
    sources: [
      all,
      deployers.changes,
      ...watchGenerated({ kube, environments: all, definitions, operators, appDefinitions, grants, log, signal }),
    ],
    reconcile,
    workers: 2,
  };
}

/** Keeps the number of instances in the status of Environments. */
function counts({ kube, catalog }: EnvironmentsInput, { instancesIn, namespaces }: InstancesInNamespaces): ControllerParts {
  const { environments: all } = catalog.reflectors;
  const ofNamespace = (namespace: string): string[] =>
    all.all().flatMap((environment) => (namespaceOf(environment) === namespace ? [environment.metadata.name] : []));
  const reconcile = createInstanceCountReconciler({ cluster: kube.asController(), environment: all.get, instancesIn });
  return {
    name: 'environment-instances',
    sources: [all, ...namespaces.map((source) => mapSource(source, ofNamespace))],
    reconcile,
    workers: 1,
  };
}
