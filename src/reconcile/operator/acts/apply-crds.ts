import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { CRD } from '../../../domain/kubernetes/resource-types.ts';
import { AppError, isAppError } from '../../../domain/core/errors.ts';
import { listAt, textAt } from '../../../domain/core/read.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import { crdClaimant, crdConflict, FORMER_OPERATOR } from '../../../domain/operator/crd-owner.ts';
import { isInChart } from '../../../domain/operator/operator-status.ts';
import type { CrdVerdict } from '../../../domain/upgrade/crd-safety/finding.ts';
import { blocksUpgrade, unsafeSentence } from '../../../domain/upgrade/crd-safety/stored-checks.ts';
import { type CrdFact, findCrd, isEstablished, observeCrds } from '../facts/observe-crds.ts';
import type { Work } from '../work.ts';
import { deleteWithIntent } from '../../../domain/kubernetes/deletion-intent.ts';
import { checkStoredInstances } from '../../../schema/stored/check-stored-instances.ts';
import { ORIGIN_ANNOTATION } from '../../../domain/chart/extract-crds.ts';

const ESTABLISHED_MS = 30_000;
const POLL_MS = 200;
/** CRDs that are read at the same time; each can have a mebibyte. */
const AT_ONCE = 4;

interface Definitions {
  /** In the order of the candidates; undefined where there is none yet. */
  readonly live: readonly (KubeObject | undefined)[];
  readonly candidates: readonly KubeObject[];
}

const MAX_FAULTS = 10;
const MAX_RULES = 5;

const ADVICE =
  'Nothing was changed, and the installed release stays. Use a chart that keeps existing instances valid, change or delete these instances, or set spec.upgrade.crdSafety to None';

/**
 * Applies the CustomResourceDefinitions of a chart and waits until the api-server serves them.
 *
 * @throws AppError before anything is written: `CrdConflict` when one of them belongs to somebody else, `UnsafeUpgrade` when it would not fit what
 *   is stored, `InvalidInput` when the api-server would reject it.
 */
export async function applyCrds(work: Work, crds: readonly KubeObject[]): Promise<void> {
  const { cluster } = work.ports;
  const live = await pMap(crds, (crd) => findCrd(cluster, crd.metadata.name, work.signal), { concurrency: AT_ONCE });
  for (const crd of live) if (crd !== undefined) rejectForeign(work, crd);
  await checkCrds(work, { live, candidates: crds });
  for (const crd of crds) {
    await cluster.apply(CRD, crd, {
      fieldManager: OURS.fieldManager,
      force: 'force',
      fieldValidation: 'Ignore',
      answer: 'metadata',
      signal: work.signal,
    });
  }
  const deadline = AbortSignal.any([work.signal, AbortSignal.timeout(ESTABLISHED_MS)]);
  for (const crd of crds) await untilEstablished(work, crd.metadata.name, deadline);
  if (crds.length > 0) work.ports.discovery.invalidate();
  const brought = await observeCrds(work.ports, work.release, { label: work.label, signal: work.signal });
  const names = new Set(crds.map(({ metadata }) => metadata.name));
  await annotateFormer(
    work,
    brought.filter((crd) => crd.labelled && isInChart(crd) && !names.has(crd.name)),
  );
}

/** A CRD without an owner is only taken over when the Operator asks for that, or left it there itself. */
function rejectForeign({ operator: { metadata }, spec, status }: Work, crd: KubeObject): void {
  const conflict = crdConflict(crd, crdClaimant({ namespace: metadata.namespace ?? 'default', name: metadata.name }, spec, status));
  if (conflict !== undefined) throw new AppError('CrdConflict', `kind "${crd.metadata.name}": ${conflict}`);
}

/** Another CRD has the plural, the kind or a short name already: waiting does not help. */
function rejectTakenNames({ metadata, status }: KubeObject): void {
  const rejection = listAt(status, 'conditions').find(
    (condition) => textAt(condition, 'type') === 'NamesAccepted' && textAt(condition, 'status') === 'False',
  );
  if (rejection === undefined) return;
  throw new AppError(
    'CrdConflict',
    `kind "${metadata.name}": its names conflict with another CRD: ${textAt(rejection, 'message') ?? 'no reason given'}`,
  );
}

async function untilEstablished(work: Work, name: string, deadline: AbortSignal): Promise<void> {
  for (;;) {
    const crd = await findCrd(work.ports.cluster, name, work.signal);
    if (crd !== undefined && isEstablished(crd)) return;
    if (crd !== undefined) rejectTakenNames(crd);
    work.signal.throwIfAborted();
    if (deadline.aborted)
      throw new AppError('ClusterUnavailable', `kind "${name}": the api-server does not serve it after ${ESTABLISHED_MS / 1000} s`);
    await sleep(POLL_MS, undefined, { signal: work.signal });
  }
}

/**
 * Compares CRDs that are to be applied with those that are live, and every stored instance with the new schema and its new rules; then asks
 * the api-server whether it would take them. Writes nothing.
 *
 * @throws AppError `UnsafeUpgrade` that names what would be lost, unless the Operator says that this does not matter; `InvalidInput` or
 *   `AdmissionDenied` when the api-server would reject a CRD.
 */
async function checkCrds(work: Work, { live, candidates }: Definitions): Promise<void> {
  const { ports, signal } = work;
  const { crdSafety: safety } = work.spec.upgrade;
  if (safety !== 'None') {
    const verdicts: CrdVerdict[] = [];
    for (const [index, candidate] of candidates.entries()) {
      const before = live[index];
      if (before !== undefined)
        verdicts.push(await checkStoredInstances({ cluster: ports.cluster, live: before, candidate, named: MAX_FAULTS, signal }));
    }
    await tellUnchecked(work, verdicts);
    const isUnsafe = verdicts.some((verdict) => blocksUpgrade(verdict, safety));
    if (isUnsafe) throw new AppError('UnsafeUpgrade', `kinds: ${unsafeSentence(verdicts, safety)}. ${ADVICE}`);
  }
  await askApiServer(work, candidates);
}

/** Whether it would take the CRDs; it also rejects rules in CEL that it cannot read or that cost too much. */
async function askApiServer({ ports, signal }: Work, candidates: readonly KubeObject[]): Promise<void> {
  const options = {
    fieldManager: OURS.fieldManager,
    force: 'force',
    fieldValidation: 'Ignore',
    dryRun: 'All',
    answer: 'metadata',
    signal,
  } as const;
  for (const candidate of candidates) await ports.cluster.apply(CRD, candidate, options);
}

/** What could not be looked at is reported; it stops nobody. */
async function tellUnchecked({ ports, operator }: Work, verdicts: readonly CrdVerdict[]): Promise<void> {
  const rules = verdicts.flatMap(({ crd, unchecked = [] }) => unchecked.map((rule) => `${crd}: ${rule}`));
  if (rules.length === 0) return;
  const named = rules.slice(0, MAX_RULES).join('; ');
  const message = `Existing instances were not validated against ${rules.length === 1 ? 'a new rule' : `${rules.length} new rules`}: ${named}. Check these rules before you write to such instances`;
  await ports.events.record(operator, { type: 'Warning', reason: 'RulesNotChecked', message });
}

/** A CRD can have a mebibyte, and nobody looks at what comes back. */
const QUIETLY = { fieldManager: OURS.fieldManager, answer: 'metadata' } as const;

/** Deletes CRDs, and with them all that is stored of their kinds. Only for an explicit cascade. */
export async function deleteCrds({ ports, signal }: Work, crds: readonly CrdFact[]): Promise<void> {
  for (const { object } of crds) {
    if (object.metadata.deletionTimestamp !== undefined) continue;
    await unlessGone(deleteWithIntent(ports.cluster, { type: CRD, object, signal }));
  }
}

/** Removes our labels and annotations from CRDs that stay behind. The same Operator takes them back when it is made again; another one has to ask for them. */
export async function disownCrds({ ports, label, signal }: Work, crds: readonly CrdFact[]): Promise<void> {
  const body = {
    metadata: { labels: { [OURS.operatorLabel]: null }, annotations: { [ORIGIN_ANNOTATION]: null, [FORMER_OPERATOR]: label } },
  };
  for (const { name } of crds.filter((crd) => crd.labelled)) {
    await unlessGone(ports.cluster.patch({ ...CRD, name }, { type: 'merge', body }, { ...QUIETLY, signal }));
  }
}

/**
 * Puts our label on CRDs that the operator registered by itself, so that the catalogue finds them. Of two Operators that claim the same one,
 * the first has it.
 */
export async function ownCrds({ ports, label, signal }: Work, crds: readonly CrdFact[]): Promise<void> {
  const metadata = { labels: { [OURS.operatorLabel]: label }, annotations: { [ORIGIN_ANNOTATION]: 'runtime' } };
  for (const { name, object } of crds.filter((crd) => !crd.labelled)) {
    const { resourceVersion } = object.metadata;
    const body = { metadata: { ...metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
    await unlessGone(ports.cluster.patch({ ...CRD, name }, { type: 'merge', body }, { ...QUIETLY, signal }));
  }
}

/** Says of CRDs that an earlier version of the chart brought that the one of today does not. They stay, and so does what is stored. */
async function annotateFormer({ ports, signal }: Work, crds: readonly CrdFact[]): Promise<void> {
  const body = { metadata: { annotations: { [ORIGIN_ANNOTATION]: 'former' } } };
  for (const { name } of crds) {
    await unlessGone(ports.cluster.patch({ ...CRD, name }, { type: 'merge', body }, { ...QUIETLY, signal }));
  }
}

async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isAppError(error, 'NotFound', 'Conflict')) throw error;
  }
}
