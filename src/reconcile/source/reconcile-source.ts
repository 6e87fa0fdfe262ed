import { applyStatus } from '../apply-status.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { AppError, isAppError, messageOf } from '../../domain/core/errors.ts';
import { parseChartSecret } from '../../domain/chart/chart-secret.ts';
import { specOf, statusOf } from '../../domain/kind/kind.ts';
import { mergeConditions, type ConditionInput } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CATALOG_SOURCE, SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { GitRequest, GitSource } from '../../domain/source/git-source.ts';
import { CATALOG_SOURCE_KIND, type SourceFault, type SourceSpec, type SourceStatus } from '../../domain/source/catalog-source.ts';
import { addFinalizer, removeFinalizer, removeFinalizerOfLostKind } from '../finalizer.ts';
import { sameFault } from './check-documents.ts';
import { determineSourceState, nextSourceAction, type ParsedFolder, readParsedFolder, type SourceAction } from './state.ts';
import type { SourcePorts } from './ports.ts';
import { pruneResource } from './prune-resources.ts';
import { readClaims } from './inventory.ts';
import { synchronise, type SynchroniseInput, type Synchronised } from './synchronise.ts';

/** How soon to look again when something in the folder, or on the way to the cluster, was wrong. */
const RETRY_MS = 15_000;

/** Milliseconds after which to look again, whatever happens until then. */
export interface SourceResult {
  readonly requeueAfter?: number;
}

/** How an attempt to bring a folder in step ended. */
type SourceOutcome =
  | { readonly kind: 'Synced'; readonly resources: number; readonly files: number }
  | { readonly kind: 'Invalid'; readonly faults: readonly SourceFault[]; readonly unit: SynchroniseInput['unit'] }
  | {
      readonly kind: 'PruneNotApproved';
      readonly source: string;
      readonly revision: string;
      readonly owned: number;
      readonly deletes: readonly string[];
    }
  | { readonly kind: 'Rejected'; readonly reason: string; readonly fault: SourceFault };

const MAX_FAULTS = 100;

/**
 * Makes the reconciler of CatalogSources. Its key is the name of one. Enqueue it when the CatalogSource or its folder changes.
 * It throws when the cluster is away; everything else ends in the status.
 */
export function createSourceReconciler(ports: SourcePorts): (key: string, signal: AbortSignal) => Promise<SourceResult> {
  return async (key, signal) => {
    const source = await find(ports, key, signal);
    if (source === undefined) return {};
    const spec = specOf(CATALOG_SOURCE_KIND, source);
    const work = { ports, source, signal };
    return perform(work, nextSourceAction(determineSourceState(source, spec, await readContent(work, spec))));
  };
}

interface Work {
  readonly ports: SourcePorts;
  readonly source: KubeObject;
  readonly signal: AbortSignal;
}

/** What the folder holds, or the repository. */
async function readContent({ ports, source, signal }: Work, { folder, git, suspend }: SourceSpec): Promise<ParsedFolder> {
  if (folder !== undefined) return await readParsedFolder(folder.path);
  const isAtRest = suspend || source.metadata.deletionTimestamp !== undefined;
  if (git === undefined || isAtRest) return { kind: 'GitUnavailable', why: 'the source is suspended or being deleted' };
  try {
    const credentials = await credentialsOf(ports, git, signal);
    const checkout = await ports.git.checkout({ source: source.metadata.name, git, ...credentials }, signal);
    return await readParsedFolder(checkout.folder, checkout.revision);
  } catch (error) {
    if (!isAppError(error, 'GitUnavailable', 'EgressDenied', 'ChartSecretInvalid')) throw error;
    return { kind: 'GitUnavailable', why: messageOf(error).replace(/^chart:/, 'git:') };
  }
}

/** Read anew each time, so that what somebody revoked is not used on. */
async function credentialsOf({ cluster }: SourcePorts, git: GitSource, signal: AbortSignal): Promise<Pick<GitRequest, 'credentials'>> {
  if (git.secretRef === undefined) return {};
  const { name } = git.secretRef;
  const object = await ifFound(cluster.get({ ...SECRET, namespace: OURS.systemNamespace, name }, { signal }));
  if (object !== undefined) return { credentials: parseChartSecret(object, git.url) };
  const why = 'it does not exist, and spec.git.secretRef names it; create it';
  throw new AppError('GitUnavailable', `git: ${git.url}: Secret "${OURS.systemNamespace}/${name}": ${why}`);
}

async function find({ cluster }: SourcePorts, name: string, signal: AbortSignal): Promise<KubeObject | undefined> {
  return await ifFound(cluster.get({ ...CATALOG_SOURCE, name }, { signal }));
}

async function perform(work: Work, act: SourceAction): Promise<SourceResult> {
  const { ports, source, signal } = work;
  const { interval } = specOf(CATALOG_SOURCE_KIND, source);
  switch (act.kind) {
    case 'add-finalizer':
      await addFinalizer(ports.cluster, { type: CATALOG_SOURCE, object: source, signal });
      return { requeueAfter: 0 };
    case 'finalize':
      if ((await removeFinalizerOfLostKind(ports.cluster, { type: CATALOG_SOURCE, object: source, signal })) === 'Deleted')
        await finalize(work);
      return {};
    case 'rest':
      await report(work, {
        faults: statusOf(CATALOG_SOURCE_KIND, source).faults,
        conditions: [notReady('Suspended', 'The source is suspended')],
      });
      return {};
    case 'reject': {
      const fault = { file: '', line: 0, column: 0, message: act.message };
      await report(work, {
        faults: [fault],
        conditions: sourceConditions({ kind: 'Rejected', reason: act.reason, fault }),
        ...(act.revision === undefined ? {} : { revision: act.revision }),
      });
      return { requeueAfter: RETRY_MS };
    }
    case 'synchronise':
      return { requeueAfter: (await synchroniseFolder(work, act)) ? interval : Math.min(interval, RETRY_MS) };
    default:
      return act satisfies never;
  }
}

/** @returns whether everything in the folder is live. */
async function synchroniseFolder(work: Work, { stock }: Extract<SourceAction, { kind: 'synchronise' }>): Promise<boolean> {
  const { ports, source, signal } = work;
  const before = statusOf(CATALOG_SOURCE_KIND, source);
  const sources = await allSources(work);
  const unit = specOf(CATALOG_SOURCE_KIND, source).git === undefined ? 'Document' : 'Revision';
  let current = source;
  const done = await synchronise(ports.cluster, {
    source: source.metadata.name,
    sources,
    unit,
    claims: () => readClaims(ports, source.metadata.name, sources),
    stock,
    inventory: before.inventory,
    prune: specOf(CATALOG_SOURCE_KIND, source).prune,
    ...approvedPruneOf(source),
    signal,
    remember: async (inventory) => {
      const status = { ...before, inventory };
      await writeSourceStatus(ports, { source, status, signal });
      current = { ...source, status };
    },
  });
  const synced = done.faults.length === 0 && done.unapproved.length === 0;
  const conditions = sourceConditions(outcomeOf(source, { done, stock, unit }));
  await report(
    { ...work, source: current },
    { ...done, conditions, revision: stock.revision, ...(synced ? { appliedRevision: stock.revision } : {}) },
  );
  logChanges(work, before, { ...done, revision: stock.revision });
  return synced;
}

function approvedPruneOf({ metadata }: KubeObject): Pick<SynchroniseInput, 'approvedPrune'> {
  const approvedPrune = metadata.annotations?.[OURS.approvedPrune];
  return approvedPrune === undefined ? {} : { approvedPrune };
}

interface Ended extends Pick<SynchroniseInput, 'stock' | 'unit'> {
  readonly done: Synchronised;
}

function outcomeOf({ metadata }: KubeObject, { done, stock, unit }: Ended): SourceOutcome {
  const { faults, unapproved } = done;
  if (faults.length > 0) return { kind: 'Invalid', faults, unit };
  if (unapproved.length === 0) return { kind: 'Synced', resources: done.applied, files: stock.files };
  return { kind: 'PruneNotApproved', source: metadata.name, revision: stock.revision, owned: done.inventory.length, deletes: unapproved };
}

async function allSources({ ports, signal }: Work): Promise<readonly KubeObject[]> {
  return (await ports.cluster.list(CATALOG_SOURCE, { signal })).items;
}

/** Deletes what the source brought, unless it is not to prune, and lets it go. What another source has too is handed over. */
async function finalize({ ports, source, signal }: Work): Promise<void> {
  const { inventory } = statusOf(CATALOG_SOURCE_KIND, source);
  const { name } = source.metadata;
  const options = { source: name, claims: await readClaims(ports, name, await allSources({ ports, source, signal })), signal };
  if (specOf(CATALOG_SOURCE_KIND, source).prune) for (const item of inventory) await pruneResource(ports.cluster, item, options);
  await removeFinalizer(ports.cluster, { type: CATALOG_SOURCE, object: source, signal });
}

interface Report {
  readonly faults: readonly SourceFault[];
  readonly conditions: readonly ConditionInput[];
  readonly inventory?: SourceStatus['inventory'];
  readonly revision?: string;
  readonly appliedRevision?: string;
}

async function report({ ports, source, signal }: Work, found: Report): Promise<void> {
  const before = statusOf(CATALOG_SOURCE_KIND, source);
  const now = `${ports.now().toISOString().slice(0, 19)}Z`;
  const observedGeneration = source.metadata.generation ?? 0;
  const conditions = found.conditions.map((condition) => ({ ...condition, observedGeneration }));
  const { revision = before.revision, appliedRevision = before.lastAppliedRevision } = found;
  const asked = specOf(CATALOG_SOURCE_KIND, source).suspend ? undefined : source.metadata.annotations?.[OURS.reconcileAt];
  const handled = asked ?? before.lastHandledReconcileAt;
  const time = appliedRevision === before.lastAppliedRevision ? before.lastAppliedTime : now;
  const status: SourceStatus = {
    observedGeneration,
    ...(handled === undefined ? {} : { lastHandledReconcileAt: handled }),
    ...(revision === undefined ? {} : { revision }),
    ...(appliedRevision === undefined ? {} : { lastAppliedRevision: appliedRevision }),
    ...(time === undefined ? {} : { lastAppliedTime: time }),
    inventory: found.inventory ?? before.inventory,
    faults: found.faults,
    conditions: mergeConditions(before.conditions, conditions, now),
  };
  await writeSourceStatus(ports, { source, status, signal });
  for (const fault of found.faults.filter((each) => !before.faults.some((known) => sameFault(known, each)))) {
    ports.log.warn('The catalogue has a fault', {
      source: source.metadata.name,
      place: placeOf(fault),
      resource: fault.resource,
      fault: fault.message,
    });
  }
}

function logChanges({ ports, source }: Work, before: SourceStatus, done: Synchronised & { readonly revision: string }): void {
  const keys = { source: source.metadata.name };
  for (const resource of done.pruned) ports.log.info('A resource was removed from the catalogue', { ...keys, resource });
  for (const resource of done.handedOver) ports.log.info('A resource was transferred to another source', { ...keys, resource });
  if (done.faults.length > 0 || before.lastAppliedRevision === done.revision) return;
  ports.log.info('The catalogue is in sync with its folder', { ...keys, resources: done.applied, revision: done.revision.slice(0, 19) });
}

function placeOf(fault: SourceFault): string {
  if (fault.file === '') return 'the folder';
  return fault.line === 0 ? fault.file : `${fault.file}:${fault.line}`;
}

function notReady(reason: string, message: string): ConditionInput {
  return { type: 'Ready', status: 'False', reason, message };
}

/** The conditions of a CatalogSource. A fault waits for a person, so the source is stalled until then. */
function sourceConditions(outcome: SourceOutcome): ConditionInput[] {
  switch (outcome.kind) {
    case 'Synced': {
      const message = `${count(outcome.resources, 'resource')} of ${count(outcome.files, 'file')} ${outcome.resources === 1 ? 'is' : 'are'} live`;
      return [{ type: 'Ready', status: 'True', reason: 'Synced', message }];
    }
    case 'Invalid':
      return stalled('Invalid', faultySentence(outcome));
    case 'PruneNotApproved':
      return stalled('PruneNotApproved', pruneSentence(outcome));
    case 'Rejected':
      return stalled(outcome.reason, outcome.fault.message);
    default:
      return outcome satisfies never;
  }
}

function pruneSentence({ source, revision, owned, deletes }: Extract<SourceOutcome, { kind: 'PruneNotApproved' }>): string {
  const named = `${deletes.slice(0, 3).join(', ')}${deletes.length > 3 ? ', …' : ''}`;
  const command = `kubectl annotate --overwrite catalogsource ${source} ${OURS.approvedPrune}=${revision}`;
  return `${revision} would delete ${deletes.length} of ${count(owned, 'resource')} (${named}); nothing of it is applied. To approve it: ${command}`;
}

function faultySentence({ faults, unit }: Extract<SourceOutcome, { kind: 'Invalid' }>): string {
  const [first] = faults;
  const place = first === undefined ? '' : [first.file, ...(first.line === 0 ? [] : [first.line])].join(':');
  const more = faults.length > 1 ? `; ${count(faults.length - 1, 'more fault')} in status.faults` : '';
  return `${place}: ${first?.message ?? ''}${more}; ${unit === 'Revision' ? 'nothing of this revision is applied' : 'everything else is live'}`;
}

function stalled(reason: string, message: string): ConditionInput[] {
  return [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'Stalled', status: 'True', reason, message },
  ];
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

async function writeSourceStatus(
  { cluster }: SourcePorts,
  input: { source: KubeObject; status: SourceStatus; signal: AbortSignal },
): Promise<void> {
  const { source, signal } = input;
  const status = { ...input.status, faults: input.status.faults.slice(0, MAX_FAULTS) };
  await applyStatus(cluster, CATALOG_SOURCE, { object: source, status, signal });
}
