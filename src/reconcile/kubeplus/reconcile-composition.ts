import type { Reconcile, ReconcileResult } from '../../controller/controller.ts';
import { parseAppDefinition, parseAppDefinitionStatus } from '../../domain/app-definition/app-definition.ts';
import {
  type ComposedDefinition,
  definitionOf,
  isOwnComposition,
  RESOURCE_COMPOSITION_KIND,
} from '../../domain/kubeplus/resource-composition.ts';
import { hasFinalizer } from '../../domain/kubernetes/finalizers.ts';
import { ifFound, type Cluster } from '../../domain/kubernetes/cluster.ts';
import { findCondition } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { apiVersionOf, type KubeObject } from '../../domain/kubernetes/resource.ts';
import { APP_DEFINITION, CRD, RESOURCE_COMPOSITION } from '../../domain/kubernetes/resource-types.ts';
import { addFinalizer, isKindLost, removeFinalizer } from '../finalizer.ts';
import { type Outcome, outcomeOfMade, type ReportPorts, reportOutcome, withReportedErrors } from '../report-outcome.ts';

/** What reconciling ResourceCompositions needs of the world. */
interface CompositionPorts extends ReportPorts {
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'get' | 'create' | 'apply' | 'applyStatus' | 'patch' | 'delete'>;
}

/** On an AppDefinition: the ResourceComposition that it was made of, `namespace/name`. A cluster-scoped object can have no namespaced owner. */
const COMPOSITION_ANNOTATION = `${OURS.group}/resource-composition`;

/** Of the fields of an AppDefinition that come of a ResourceComposition; an admin can set others beside them. */
const FIELD_MANAGER = `${OURS.fieldManager}-kubeplus`;

const DRIFT_MS = 5 * 60_000;
const SOON_MS = 1_000;

interface Work {
  readonly composition: KubeObject;
  /** `namespace/name`. */
  readonly key: string;
  /** The AppDefinition of the same name, whoever made it. */
  readonly definition: KubeObject | undefined;
  readonly signal: AbortSignal;
}

/** Makes the function that keeps the AppDefinition of a ResourceComposition as it says. It leaves those of a KubePlus in the same cluster alone. */
export function createCompositionReconciler(ports: CompositionPorts): Reconcile {
  return async (key, signal) => {
    const [namespace = '', name = ''] = key.split('/');
    const { cluster } = ports;
    const crd = await ifFound(cluster.get({ ...CRD, name: `${RESOURCE_COMPOSITION.resource}.${RESOURCE_COMPOSITION.group}` }, { signal }));
    if (crd === undefined || !isOwnComposition(crd)) return {};
    const composition = await ifFound(cluster.get({ ...RESOURCE_COMPOSITION, namespace, name }, { signal }));
    if (composition === undefined) return {};
    const work = { composition, key, definition: await ifFound(cluster.get({ ...APP_DEFINITION, name }, { signal })), signal };
    const isKept = composition.metadata.deletionTimestamp === undefined;
    const reportLast = async (outcome: Outcome): Promise<void> => await report(ports, work, outcome);
    return await withReportedErrors(signal, reportLast, async () => await (isKept ? keep(ports, work) : finalize(ports, work)));
  };
}

async function keep(ports: CompositionPorts, work: Work): Promise<ReconcileResult> {
  const { cluster } = ports;
  const { composition, definition, key, signal } = work;
  const { name } = composition.metadata;
  if (!hasFinalizer(composition)) {
    await addFinalizer(cluster, { type: RESOURCE_COMPOSITION, object: composition, signal });
    return { requeueAfter: 0 };
  }
  if (definition !== undefined && !isOwn(definition, key)) {
    const message = `AppDefinition ${name}: it exists already, and this ResourceComposition did not create it; choose another metadata.name, or delete the AppDefinition`;
    await report(ports, work, { kind: 'Stalled', reason: 'AppDefinitionExists', message });
    return { requeueAfter: DRIFT_MS };
  }
  if (definition?.metadata.deletionTimestamp !== undefined) {
    const message = `AppDefinition ${name} is being deleted, and created again then`;
    await report(ports, work, { kind: 'Reconciling', reason: 'AppDefinitionTerminating', message });
    return { requeueAfter: SOON_MS };
  }
  const composed = definitionOf(composition, definition && parseAppDefinitionStatus(definition).chart?.name);
  const wanted: KubeObject = {
    apiVersion: apiVersionOf(APP_DEFINITION),
    kind: APP_DEFINITION.kind,
    metadata: { name, annotations: { [COMPOSITION_ANNOTATION]: key } },
    spec: composed.spec,
  };
  // Created first, so that of two who ask for one name only one gets it.
  if (definition === undefined) await cluster.create(APP_DEFINITION, wanted, { fieldManager: FIELD_MANAGER, signal });
  const { object } = await cluster.apply(APP_DEFINITION, wanted, { fieldManager: FIELD_MANAGER, force: 'force', signal });
  await report(ports, { ...work, definition: object }, outcomeOf(object), composed);
  return { requeueAfter: DRIFT_MS };
}

/** Whoever may write the annotation may write the AppDefinition itself. */
function isOwn({ metadata }: KubeObject, key: string): boolean {
  return metadata.annotations?.[COMPOSITION_ANNOTATION] === key;
}

/** As the AppDefinition says. */
function outcomeOf(definition: KubeObject): Outcome {
  const { crd = '' } = parseAppDefinitionStatus(definition);
  return outcomeOfMade(definition, { words: `AppDefinition ${definition.metadata.name}`, more: `: it generates ${crd}` });
}

async function report(
  ports: CompositionPorts,
  { composition, definition, key, signal }: Work,
  outcome: Outcome,
  composed?: ComposedDefinition,
): Promise<void> {
  const own = definition !== undefined && isOwn(definition, key) ? definition : undefined;
  const { crd, instances } = own === undefined ? {} : parseAppDefinitionStatus(own);
  const blocks = own !== undefined && parseAppDefinition(own).deletionPolicy === 'Block';
  const rest = {
    status: outcome.message,
    ...(own === undefined ? {} : { appDefinition: own.metadata.name }),
    ...(crd === undefined ? {} : { crd }),
    ...(instances === undefined || !blocks ? {} : { instances }),
  };
  const others = composed === undefined ? [] : [completeness(composed)];
  await reportOutcome(ports, RESOURCE_COMPOSITION_KIND, { object: composition, outcome, rest, others, signal });
}

/** Whether all that the ResourceComposition says has an effect. */
function completeness({ omitted }: ComposedDefinition): {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
} {
  if (omitted.length === 0) return { type: 'Complete', status: 'True', reason: 'AllApplied', message: 'Everything in spec is applied' };
  return { type: 'Complete', status: 'False', reason: 'PartlyApplied', message: `Not applied: ${omitted.join('; ')}` };
}

/** Deletes the AppDefinition, as its deletionPolicy says, and then lets the ResourceComposition go. When its whole CRD was deleted, nobody asked for that. */
async function finalize(ports: CompositionPorts, work: Work): Promise<ReconcileResult> {
  const { cluster } = ports;
  const { composition, definition, key, signal } = work;
  const removal = { type: RESOURCE_COMPOSITION, object: composition, signal };
  if (!hasFinalizer(composition)) return {};
  const own = definition !== undefined && isOwn(definition, key) ? definition : undefined;
  if (own === undefined || (await isKindLost(cluster, RESOURCE_COMPOSITION, signal))) {
    await removeFinalizer(cluster, removal);
    return {};
  }
  const { name, uid, deletionTimestamp } = own.metadata;
  if (deletionTimestamp === undefined) {
    await ifFound(cluster.delete({ ...APP_DEFINITION, name }, { signal, ...(uid === undefined ? {} : { uid }) }));
  }
  const { conditions } = parseAppDefinitionStatus(own);
  const why = findCondition(conditions, 'Ready')?.message ?? '';
  const message = `AppDefinition ${name} is being deleted${deletionTimestamp === undefined || why === '' ? '' : `: ${why}`}`;
  await report(ports, work, { kind: 'Reconciling', reason: 'AppDefinitionTerminating', message });
  return { requeueAfter: SOON_MS };
}
