import { OURS } from '../../domain/names.ts';
import { refOf, type Work } from './work.ts';

/** Adds our finalizer, before anything outside the Operator is made. */
export async function guard(work: Work): Promise<void> {
  await setFinalizers(work, [...(work.operator.metadata.finalizers ?? []), OURS.finalizer]);
}

/** Takes our finalizer off, and only ours. */
export async function letGo(work: Work): Promise<void> {
  await setFinalizers(
    work,
    (work.operator.metadata.finalizers ?? []).filter((finalizer) => finalizer !== OURS.finalizer),
  );
}

async function setFinalizers({ ports, operator, signal }: Work, finalizers: readonly string[]): Promise<void> {
  const body = { metadata: { resourceVersion: operator.metadata.resourceVersion, finalizers } };
  await ports.cluster.patch(refOf(operator), { type: 'merge', body }, { fieldManager: OURS.fieldManager, signal });
}
