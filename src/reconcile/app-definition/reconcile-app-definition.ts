import type { Reconcile, ReconcileResult } from '../../controller/controller.ts';
import type { GeneratedNames } from '../../domain/app-definition/app-definition-kind.ts';
import { parseAppDefinition, parseAppDefinitionStatus } from '../../domain/app-definition/app-definition.ts';
import { generatedCrdName } from '../../domain/app-definition/generated-crd.ts';
import { reservedNames, reservedNamesKept } from '../../domain/app-definition/reserved-names.ts';
import { type Admission, admit, hasLimits, limitsCondition } from '../../domain/app-definition/limits.ts';
import { type AppError, isAppError, messageOf } from '../../domain/core/errors.ts';
import type { ConditionInput } from '../../domain/kubernetes/condition.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { isIncomplete } from '../../domain/kubernetes/kept-object.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { type KubeObject, oldestFirst } from '../../domain/kubernetes/resource.ts';
import { APP_DEFINITION, APP_REVISION } from '../../domain/kubernetes/resource-types.ts';
import type { CrdVerdict } from '../../domain/upgrade/crd-safety/finding.ts';
import { addFinalizer, removeFinalizerOfLostKind } from '../finalizer.ts';
import { applyCrd } from './acts/apply-crd.ts';
import { assessRequirements } from './acts/assess-requirements.ts';
import { publishApp, publishCrds } from './acts/publish-crds.ts';
import { finalizeDefinition } from './finalize-definition.ts';
import type { FetchMemory } from './fetch-definition.ts';
import { type DefinitionWork, observeDefinition, observeInstances } from './observe.ts';
import { takeOverRevisions } from './move.ts';
import type { DefinitionPorts } from './ports.ts';
import { isFalse, isTrue } from '../conditions.ts';
import { chartStatus } from '../helm-release/release-status.ts';
import { readRevisions, report, rollOut } from './report.ts';
import { type ActiveState, determineActiveState } from './state.ts';
import { healthRulesValid } from '../health-rules.ts';
import { parseInstanceSpec, parseInstanceStatus } from '../../domain/app-instance/instance.ts';
import { newestInChannel } from '../../domain/app-definition/channel.ts';
import { APP_REVISION_KIND } from '../../domain/app-definition/app-revision-kind.ts';
import { specOf } from '../../domain/kind/kind.ts';

const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
const ESTABLISHING_MS = 250;
/** How soon to look whether the former name has gone. */
const PENDING_MS = 5_000;

const SUSPENDED = {
  kind: 'Suspended',
  reason: 'Suspended',
  message: 'The AppDefinition is suspended; set spec.suspend to false to continue',
} as const;

/** Makes the reconciler of AppDefinitions. Its key is the name of one. */
export function createAppDefinitionReconciler(ports: DefinitionPorts): Reconcile {
  const fetches: FetchMemory = new Map();
  const applied = new Map<string, number>();
  return async (name, signal) => {
    const definition = await ifFound(ports.cluster.get({ ...APP_DEFINITION, name }, { signal }));
    if (definition === undefined || isIncomplete(definition)) return {};
    const { deletionTimestamp, uid = '' } = definition.metadata;
    const work = { ports, definition, spec: parseAppDefinition(definition), fetches, applied, signal };
    if (deletionTimestamp !== undefined) {
      fetches.delete(uid);
      if ((await removeFinalizerOfLostKind(ports.cluster, { type: APP_DEFINITION, object: definition, signal })) === 'KindLost') return {};
      return await finalizeDefinition(work);
    }
    try {
      if (work.spec.crds !== undefined) return await publishCrds(work);
      return await act(work, determineActiveState(await observeDefinition(work)));
    } catch (error) {
      signal.throwIfAborted();
      if (isAppError(error, 'Conflict', 'AlreadyExists', 'ClusterUnavailable')) throw error;
      await report(work, { kind: 'Reconciling', reason: 'Retrying', message: messageOf(error) });
      throw error;
    }
  };
}

async function act(work: DefinitionWork, state: ActiveState): Promise<ReconcileResult> {
  const { ports, definition, spec, signal } = work;
  switch (state.kind) {
    case 'FinalizerMissing':
      await addFinalizer(ports.cluster, { type: APP_DEFINITION, object: definition, signal });
      return AT_ONCE;
    case 'Suspended':
      await report(work, SUSPENDED);
      return {};
    case 'FetchFailed':
      await fetchFailed(work, state.error);
      return { requeueAfter: state.retryAfter };
    case 'NamesUnrecorded':
      await report(work, { ...generating('the CRD'), found: { names: state.names } });
      return AT_ONCE;
    case 'Conflict':
    case 'NamesReserved':
    case 'ScaleInvalid':
    case 'MovePending':
      return await blocked(work, state);
    case 'RevisionMissing':
      await ifNew(ports.cluster.create(APP_REVISION, state.chart.revision, { fieldManager: OURS.fieldManager, signal }));
      return AT_ONCE;
    case 'Breaking':
      await report(work, stalled('BreakingChange', breakingSentence(state.chart.metadata.version, state.verdict)));
      return { requeueAfter: spec.interval };
    case 'CrdOutdated':
      return await applied(work, state);
    case 'Establishing':
      await report(work, generating('the CRD'));
      return { requeueAfter: ESTABLISHING_MS };
    case 'Ready':
      return await ready(work, state);
    default:
      return state satisfies never;
  }
}

function generating(what: string): { kind: 'Reconciling'; reason: string; message: string } {
  return { kind: 'Reconciling', reason: 'Generating', message: `Generating ${what}` };
}

type Blocked = Extract<ActiveState, { kind: 'Conflict' | 'NamesReserved' | 'ScaleInvalid' | 'MovePending' }>;

async function blocked(work: DefinitionWork, { kind, message }: Blocked): Promise<ReconcileResult> {
  if (kind === 'MovePending') {
    await report(work, { kind: 'Reconciling', reason: kind, message });
    return { requeueAfter: PENDING_MS };
  }
  await report(work, stalled(kind === 'Conflict' ? 'CrdConflict' : kind, message));
  return { requeueAfter: work.spec.interval };
}

function stalled(reason: string, message: string): Parameters<typeof report>[1] {
  return { kind: 'Stalled', reason, message };
}

async function fetchFailed(work: DefinitionWork, error: AppError): Promise<void> {
  const message = messageOf(error);
  await report(work, { kind: 'Stalled', reason: error.code, message, also: [isFalse('Fetched', error.code, message)] });
}

type CrdOutdated = Extract<ActiveState, { kind: 'CrdOutdated' }>;

async function applied(work: DefinitionWork, { candidate, former }: CrdOutdated): Promise<ReconcileResult> {
  try {
    if (former !== undefined) await takeOverRevisions(work, former);
    await applyCrd(work, candidate);
    return { requeueAfter: ESTABLISHING_MS };
  } catch (error) {
    if (!isAppError(error, 'InvalidInput', 'AdmissionDenied')) throw error;
    await report(work, stalled('CrdRejected', `the api-server rejects the generated CRD: ${error.message}`));
    return { requeueAfter: work.spec.interval };
  }
}

async function ready(work: DefinitionWork, { chart, names }: Extract<ActiveState, { kind: 'Ready' }>): Promise<ReconcileResult> {
  await publishApp(work, names);
  const { updatePolicy, limits } = work.spec;
  // What instances report is read only where it counts.
  const extent = updatePolicy === 'Automatic' || hasLimits(limits) ? 'full' : 'metadata';
  const instances = await observeInstances(work, names, extent);
  const { rollout, conditions, lookAfter } = await rollOut(work, instances, chart);
  const { admission, condition } = admitted(work, instances);
  const readInstances = async () => (extent === 'full' ? instances : await observeInstances(work, names, 'full'));
  await pruneRevisions(work, chart.revision.metadata.name, readInstances);
  const { name, version } = chart.metadata;
  const { condition: installable, assessed, isDue } = await assessRequirements(work, chart);
  await report(work, {
    kind: 'Ready',
    reason: 'Ready',
    message: `${names.kind} is served with chart ${name} ${version}`,
    also: [
      isTrue('Fetched', 'Fetched', `chart ${name} ${version}`),
      isTrue('CRDEstablished', 'Established', generatedCrdName(names)),
      ...conditions,
      ...(condition === undefined ? [] : [condition]),
      ...(installable === undefined ? [] : [installable]),
      ...namesCondition(names),
      ...healthRulesValid(work.definition, work.ports.failedRules),
    ],
    found: {
      names,
      crd: generatedCrdName(names),
      chart: chartStatus({ digest: chart.digest, contents: chart }),
      revision: chart.revision.metadata.name,
      instances: instances.length,
      rollout,
      limits: admission,
      assessed,
    },
  });
  return isDue ? { requeueAfter: ESTABLISHING_MS } : { requeueAfter: Math.min(lookAfter, work.spec.interval) };
}

/** False for a kind that was generated before its names were reserved; absent for all others. */
function namesCondition(names: GeneratedNames): readonly ConditionInput[] {
  const reserved = reservedNames(names);
  return reserved.length === 0 ? [] : [isFalse('NamesAccepted', 'NamesReserved', reservedNamesKept(reserved, generatedCrdName(names)))];
}

interface Admitted {
  readonly admission?: Admission;
  readonly condition?: ConditionInput;
}

/** What the limits of the spec let in; nothing without any. */
function admitted({ definition, spec: { limits } }: DefinitionWork, instances: readonly KubeObject[]): Admitted {
  if (!hasLimits(limits)) return {};
  const admission = admit(limits, instances, parseAppDefinitionStatus(definition).limits?.admitted);
  return { admission, condition: limitsCondition(limits, instances, admission) };
}

function breakingSentence(version: string, { faults, faultCount = faults.length }: CrdVerdict): string {
  const named = faults.map(({ instance, path, message }) => `${instance}: ${path}: ${message}`).join('; ');
  const count = faultCount === 1 ? '1 existing instance does' : `${faultCount} existing instances do`;
  return `chart version ${version}: ${count} not fit its schema, and the earlier version stays: ${named}. Change or delete these instances, or offer another version`;
}

async function ifNew(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isAppError(error, 'AlreadyExists')) throw error;
  }
}

/** Deletes the oldest AppRevisions beyond the history limit that no instance has, or asks for. @param readInstances in full, asked only where it counts. */
async function pruneRevisions(work: DefinitionWork, current: string, readInstances: () => Promise<readonly KubeObject[]>): Promise<void> {
  const { ports, definition, spec, signal } = work;
  const labelSelector = `${OURS.appDefinitionLabel}=${definition.metadata.name}`;
  const { items } = await ports.cluster.listMetadata(APP_REVISION, { labelSelector, signal });
  const others = items.filter(({ metadata }) => metadata.name !== current).sort(oldestFirst);
  const old = others.slice(0, Math.max(0, others.length - spec.revisionHistoryLimit));
  if (old.length === 0) return;
  const instances = await readInstances();
  const channels = new Set(instances.flatMap((instance) => parseInstanceSpec(instance).channel ?? []));
  const followed = channels.size === 0 ? [] : followedIn(await readRevisions(work), [...channels]);
  const isUsed = usedBy(instances, followed);
  for (const { metadata } of old) {
    const revision = await ifFound(ports.cluster.get({ ...APP_REVISION, name: metadata.name }, { signal }));
    if (revision === undefined || isUsed(revision)) continue;
    const { name, uid } = revision.metadata;
    await ifFound(ports.cluster.delete({ ...APP_REVISION, name }, { signal, ...(uid === undefined ? {} : { uid }) }));
  }
}

/** The names of the newest AppRevisions within channels. */
function followedIn(revisions: readonly KubeObject[], channels: readonly string[]): string[] {
  return channels.flatMap((channel) => newestInChannel(revisions, channel)?.metadata.name ?? []);
}

function usedBy(instances: readonly KubeObject[], followed: readonly string[]): (revision: KubeObject) => boolean {
  const revisions = new Set([...instances.map((instance) => parseInstanceStatus(instance).revision), ...followed]);
  const versions = new Set(instances.map((instance) => parseInstanceSpec(instance).version));
  return (revision) => revisions.has(revision.metadata.name) || versions.has(specOf(APP_REVISION_KIND, revision).chart.version);
}
