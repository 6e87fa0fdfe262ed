import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { isAppError, messageOf } from '../../domain/core/errors.ts';
import { chartSecretInvalid } from '../../domain/chart/chart-access.ts';
import { specOf, statusOf } from '../../domain/kind/kind.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CATALOG_SOURCE, SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { parseGitSecret, parseGitVerifySecret } from '../../domain/source/git-access.ts';
import type { GitRequest, GitSource } from '../../domain/source/git-source.ts';
import { findKinds } from '../../domain/source/stock.ts';
import { CATALOG_SOURCE_KIND, type SourceSpec } from '../../domain/source/catalog-source.ts';
import { addFinalizer, removeFinalizer, removeFinalizerOfLostKind } from '../finalizer.ts';
import { logChanges, reportSource, type SourceOutcome, type Work, writeSourceStatus } from './report-source.ts';
import { type Content, determineSourceState, nextSourceAction, type SourceAction } from './state.ts';
import type { SourceCluster, SourcePorts } from './ports.ts';
import { pruneResource } from './prune-resources.ts';
import { readClaims } from './inventory.ts';
import { synchronise, type SynchroniseInput, type Synchronised } from './synchronise.ts';

/** How soon to look again when something in the folder, or on the way to the cluster, was wrong. */
const RETRY_MS = 15_000;

/** Milliseconds after which to look again, whatever happens until then. */
export interface SourceResult {
  readonly requeueAfter?: number;
}

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

/** What the folder holds, or the repository, and the kinds in it. */
async function readContent(work: Work, spec: SourceSpec): Promise<Content> {
  const { discovery } = work.ports;
  const folder = await readFolderOf(work, spec);
  const find = (apiVersion: string, kind: string) => discovery.find(apiVersion, kind, work.signal);
  return { folder, kindOf: folder.kind === 'Read' ? await findKinds(folder.files, find) : () => undefined };
}

async function readFolderOf({ ports, source, signal }: Work, { folder, git, suspend }: SourceSpec): Promise<Content['folder']> {
  if (folder !== undefined) return await ports.readFolder(folder.path);
  const isAtRest = suspend || source.metadata.deletionTimestamp !== undefined;
  if (git === undefined || isAtRest) return { kind: 'GitUnavailable', why: 'the source is suspended or being deleted' };
  try {
    const access = await gitAccess(ports, git, signal);
    const checkout = await ports.git.checkout({ source: source.metadata.name, git, ...access }, signal);
    return await ports.readFolder(checkout.folder, checkout);
  } catch (error) {
    if (isAppError(error, 'VerificationFailed')) return { kind: 'VerificationFailed', why: messageOf(error) };
    if (!isAppError(error, 'GitUnavailable', 'EgressDenied', 'ChartSecretInvalid')) throw error;
    return { kind: 'GitUnavailable', why: messageOf(error).replace(/^chart:/, 'git:') };
  }
}

/** The Secrets of a source. They are read anew each time, so that what somebody revoked is not used on. */
async function gitAccess(
  ports: SourcePorts,
  git: GitSource,
  signal: AbortSignal,
): Promise<Pick<GitRequest, 'credentials' | 'verification'>> {
  const existing = async (field: string, name: string): Promise<KubeObject> => {
    const object = await ifFound(ports.cluster.get({ ...SECRET, namespace: OURS.systemNamespace, name }, { signal }));
    if (object !== undefined) return object;
    throw chartSecretInvalid(`Secret "${OURS.systemNamespace}/${name}"`, `it does not exist, and ${field} names it; create it`);
  };
  return {
    ...(git.secretRef === undefined
      ? {}
      : { credentials: parseGitSecret(await existing('spec.git.secretRef', git.secretRef.name), git.url) }),
    ...(git.verify === undefined
      ? {}
      : { verification: parseGitVerifySecret(await existing('spec.git.verify.secretRef', git.verify.secretRef.name)) }),
  };
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
      await reportSource(work, { outcome: { kind: 'Suspended' }, faults: statusOf(CATALOG_SOURCE_KIND, source).faults });
      return {};
    case 'reject': {
      const { reason, read } = act;
      const fault = { file: '', line: 0, column: 0, message: act.message };
      await reportSource(work, { outcome: { kind: 'Rejected', reason, fault }, faults: [fault], ...(read === undefined ? {} : { read }) });
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
  const spec = specOf(CATALOG_SOURCE_KIND, source);
  const unit = spec.git === undefined ? 'Document' : 'Revision';
  let current = source;
  const done = await synchronise(objectsCluster(work, spec), {
    source: source.metadata.name,
    sources,
    labels: { [OURS.sourceLabel]: source.metadata.name, ...(spec.owner === undefined ? {} : { [OURS.teamLabel]: spec.owner }) },
    discovery: ports.discovery,
    unit,
    claims: () => readClaims(ports, source.metadata.name, sources),
    stock,
    inventory: before.inventory,
    prune: spec.prune,
    ...approvedPruneOf(source),
    signal,
    remember: async (inventory) => {
      const status = { ...before, inventory };
      await writeSourceStatus(ports, { source, status, signal });
      current = { ...source, status };
    },
  });
  const outcome = outcomeOf(source, { done, stock, unit });
  const report = {
    outcome,
    read: stock,
    faults: done.faults,
    inventory: done.inventory,
    applied: done.applied,
    deleted: done.pruned.length,
  };
  await reportSource({ ...work, source: current }, report);
  logChanges(work, before, { ...done, revision: stock.revision });
  return outcome.kind === 'Synced';
}

/** With the permissions that count for what the source holds. */
function objectsCluster({ ports }: Pick<Work, 'ports'>, { serviceAccount }: SourceSpec): SourceCluster {
  return serviceAccount === undefined ? ports.cluster : ports.asServiceAccount(serviceAccount);
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
  const spec = specOf(CATALOG_SOURCE_KIND, source);
  const { name } = source.metadata;
  const claims = await readClaims(ports, name, await allSources({ ports, source, signal }));
  const cluster = objectsCluster({ ports }, spec);
  if (spec.prune)
    for (const item of inventory) await pruneResource(cluster, item, { source: name, discovery: ports.discovery, claims, signal });
  await removeFinalizer(ports.cluster, { type: CATALOG_SOURCE, object: source, signal });
}
