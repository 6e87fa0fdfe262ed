import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../domain/core/errors.ts';
import { crdClaimant, crdConflict } from '../../../domain/operator/crd-owner.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { isInChart } from '../../../domain/operator/operator-status.ts';
import { listAt, textAt } from '../../../domain/core/read.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import { checkCrds } from './check-crds.ts';
import { CRD } from '../kinds.ts';
import { markFormer } from './leave-crds.ts';
import { findCrd, isEstablished, observeCrds } from '../facts/observe-crds.ts';
import type { Work } from '../work.ts';

const ESTABLISHED_MS = 30_000;
const POLL_MS = 200;

/**
 * Applies the CustomResourceDefinitions of a chart and waits until the api-server serves them.
 *
 * @throws AppError before anything is written: `CrdConflict` when one of them belongs to somebody else, `UnsafeUpgrade` when it would not fit what
 *   is stored, `InvalidInput` when the api-server would refuse it.
 */
export async function applyCrds(work: Work, crds: readonly KubeObject[]): Promise<void> {
  const { cluster } = work.ports;
  const live = await Promise.all(crds.map((crd) => findCrd(cluster, crd.metadata.name, work.signal)));
  for (const crd of live) if (crd !== undefined) refuseForeign(work, crd);
  await checkCrds(work, { live, candidates: crds });
  for (const crd of crds) {
    await cluster.apply(CRD, crd, { fieldManager: OURS.fieldManager, force: 'force', fieldValidation: 'Ignore', signal: work.signal });
  }
  const deadline = AbortSignal.any([work.signal, AbortSignal.timeout(ESTABLISHED_MS)]);
  for (const crd of crds) await untilEstablished(work, crd.metadata.name, deadline);
  if (crds.length > 0) work.ports.discovery.invalidate();
  const brought = await observeCrds(cluster, work.release, { label: work.label, signal: work.signal });
  const names = new Set(crds.map(({ metadata }) => metadata.name));
  await markFormer(
    work,
    brought.filter((crd) => crd.labelled && isInChart(crd) && !names.has(crd.name)),
  );
}

/** A definition without an owner is only taken over when the Operator asks for that, or left it there itself. */
function refuseForeign({ operator: { metadata }, spec, status }: Work, crd: KubeObject): void {
  const conflict = crdConflict(crd, crdClaimant({ namespace: metadata.namespace ?? 'default', name: metadata.name }, spec, status));
  if (conflict !== undefined) throw new AppError('CrdConflict', `kind "${crd.metadata.name}": ${conflict}`);
}

/** Another definition has the plural, the kind or a short name already: waiting does not help. */
function refuseTakenNames({ metadata, status }: KubeObject): void {
  const refusal = listAt(status, 'conditions').find(
    (condition) => textAt(condition, 'type') === 'NamesAccepted' && textAt(condition, 'status') === 'False',
  );
  if (refusal === undefined) return;
  throw new AppError('CrdConflict', `kind "${metadata.name}": its names are taken: ${textAt(refusal, 'message') ?? 'no reason given'}`);
}

async function untilEstablished(work: Work, name: string, deadline: AbortSignal): Promise<void> {
  for (;;) {
    const crd = await findCrd(work.ports.cluster, name, work.signal);
    if (crd !== undefined && isEstablished(crd)) return;
    if (crd !== undefined) refuseTakenNames(crd);
    work.signal.throwIfAborted();
    if (deadline.aborted)
      throw new AppError('ClusterUnavailable', `kind "${name}": the api-server does not serve it after ${ESTABLISHED_MS / 1000} s`);
    await sleep(POLL_MS, undefined, { signal: work.signal });
  }
}
