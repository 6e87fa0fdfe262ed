import type { ChartLibrary } from '../../chart/chart-library.ts';
import { type ControllerParts, type KeySource, mapSource } from '../../controller/controller.ts';
import type { UploadWatch } from '../create-charts.ts';
import { parseAppDefinitionStatus } from '../../domain/app-definition/app-definition.ts';
import type { RenderChart } from '../../domain/chart/rendered-chart.ts';
import { at } from '../../domain/core/read.ts';
import { renamedWith } from '../../domain/kubernetes/moved-from.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { createEventRecorder } from '../../kube/events.ts';
import type { Kube } from '../../kube/kube.ts';
import type { LiveCatalog } from '../../kube/watch/catalog-cache.ts';
import type { Log } from '../../observe/log.ts';
import { createAppDefinitionReconciler } from '../../reconcile/app-definition/reconcile-app-definition.ts';
import { RESOURCE_COMPOSITION } from '../../domain/kubernetes/resource-types.ts';
import { startReflector } from '../../kube/watch/reflector.ts';
import type { FailedRules } from '../../reconcile/health-rules.ts';
import { createCompositionReconciler } from '../../reconcile/kubeplus/reconcile-composition.ts';

interface AppDefinitionsInput {
  readonly kube: Kube;
  readonly catalog: LiveCatalog;
  readonly charts: ChartLibrary;
  readonly renderChart: RenderChart;
  readonly uploads: UploadWatch;
  /** The names of those that have an instance more or less, or one with another spec. */
  readonly counted: KeySource;
  readonly failedRules: FailedRules;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The controller of AppDefinitions: each is looked at when it changes, when the CRD that it generated, publishes, or that is in its way, does, and when its instances or the uploaded charts do. */
export function appDefinitions({
  kube,
  catalog,
  charts,
  renderChart,
  uploads,
  counted,
  failedRules,
  log,
  signal,
}: AppDefinitionsInput): ControllerParts {
  const cluster = kube.asController();
  const reconcile = createAppDefinitionReconciler({
    cluster,
    charts,
    uploads,
    failedRules,
    requirements: { charts, renderChart, discovery: kube },
    environments: catalog.reflectors.environments,
    definitions: catalog.reflectors.appDefinitions,
    crds: catalog.reflectors.customResourceDefinitions,
    events: createEventRecorder({ cluster, log, signal }),
    now: () => new Date(),
  });
  const { appDefinitions: all, customResourceDefinitions: crds } = catalog.reflectors;
  const publishing = (): string[] => all.all().flatMap(({ metadata, spec }) => (at(spec, 'crds') === undefined ? [] : [metadata.name]));
  const generating = mapSource(crds, (name) => {
    if (!name.endsWith(`.${OURS.appsGroup}`)) return publishing();
    const owner = crds.get(name)?.metadata.labels?.[OURS.appDefinitionLabel];
    const naming = all.all().filter((definition) => parseAppDefinitionStatus(definition).crd === name);
    return [...new Set([...naming.map(({ metadata }) => metadata.name), ...(owner === undefined ? [] : [owner])])];
  });
  const renamed = mapSource(all, (name) => renamedWith(all.all(), name));
  return { name: 'app-definition', sources: [all, renamed, generating, counted, uploads.keysOf(all.all)], reconcile, workers: 2 };
}

interface CompositionControllerInput {
  readonly kube: Pick<Kube, 'asController'>;
  /** The names of all AppDefinitions; that of a ResourceComposition has its name. */
  readonly definitions: KeySource;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The controller of ResourceCompositions: each is looked at when it changes, and when the AppDefinition of its name does. */
export function compositionController({ kube, definitions, log, signal }: CompositionControllerInput): ControllerParts {
  const cluster = kube.asController();
  const compositions = startReflector({ cluster, type: RESOURCE_COMPOSITION, log, signal });
  const named = mapSource(definitions, (name) =>
    compositions.all().flatMap(({ metadata }) => (metadata.name === name ? [`${metadata.namespace ?? ''}/${name}`] : [])),
  );
  const reconcile = createCompositionReconciler({ cluster, events: createEventRecorder({ cluster, log, signal }), now: () => new Date() });
  return { name: 'resource-composition', sources: [compositions, named], reconcile, workers: 1 };
}
