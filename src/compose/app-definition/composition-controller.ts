import { type KeySource, mapSource, type Reconcile } from '../../controller/controller.ts';
import { RESOURCE_COMPOSITION } from '../../domain/kubernetes/resource-types.ts';
import { createEventRecorder } from '../../kube/events.ts';
import type { Kube } from '../../kube/kube.ts';
import { startReflector } from '../../kube/watch/reflector.ts';
import type { Log } from '../../observe/log.ts';
import { createCompositionReconciler } from '../../reconcile/kubeplus/reconcile-composition.ts';

interface CompositionControllerInput {
  readonly kube: Pick<Kube, 'asController'>;
  /** The names of all AppDefinitions; that of a ResourceComposition has its name. */
  readonly definitions: KeySource;
  readonly log: Log;
  readonly signal: AbortSignal;
}

interface CompositionController {
  readonly name: string;
  readonly sources: readonly KeySource[];
  readonly reconcile: Reconcile;
  readonly workers: number;
}

/** The controller of ResourceCompositions: each is looked at when it changes, and when the AppDefinition of its name does. */
export function compositionController({ kube, definitions, log, signal }: CompositionControllerInput): CompositionController {
  const cluster = kube.asController();
  const compositions = startReflector({ cluster, type: RESOURCE_COMPOSITION, log, signal });
  const named = mapSource(definitions, (name) =>
    compositions.all().flatMap(({ metadata }) => (metadata.name === name ? [`${metadata.namespace ?? ''}/${name}`] : [])),
  );
  const reconcile = createCompositionReconciler({ cluster, events: createEventRecorder({ cluster, log }), now: () => new Date() });
  return { name: 'resource-composition', sources: [compositions, named], reconcile, workers: 1 };
}
