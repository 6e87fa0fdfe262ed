import { takesOutputsOf } from '../app-instance/outputs.ts';
import { listInShort } from '../core/name-words.ts';
import { textAt } from '../core/read.ts';
import { OURS } from '../kubernetes/names.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import type { Finding, Findings } from './findings.ts';

/** What happens to the volume of a claim that is deleted; `Unknown` when the actor may not read it. */
export type Reclaim = 'Delete' | 'Retain' | 'Unknown';

/** A claim with what becomes of its data. */
export interface ClaimFate {
  readonly claim: KubeObject;
  /** `Goes`: it is owned by what is deleted; `Stays`: it was made for a StatefulSet that leaves its claims behind. */
  readonly fate: 'Goes' | 'Stays';
  readonly reclaim: Reclaim;
}

const CLAIM = 'PersistentVolumeClaim';
const NAMES = 5;

/** All objects below some, along owner references, that go when these go: those that nothing else owns. */
export function ownedBelow(roots: readonly KubeObject[], objects: readonly KubeObject[]): KubeObject[] {
  const gone = new Set(roots.map(({ metadata }) => metadata.uid ?? ''));
  const owned: KubeObject[] = [];
  let rest = objects.filter(({ metadata }) => (metadata.ownerReferences ?? []).length > 0);
  for (;;) {
    const next = rest.filter(({ metadata }) => (metadata.ownerReferences ?? []).every(({ uid }) => gone.has(uid)));
    if (next.length === 0) return owned;
    owned.push(...next);
    for (const { metadata } of next) gone.add(metadata.uid ?? '');
    rest = rest.filter((object) => !next.includes(object));
  }
}

/** Claims of StatefulSets that go without them: named `<template>-<set>-<number>`, owned by nobody. */
export function claimsLeft(owned: readonly KubeObject[], objects: readonly KubeObject[]): KubeObject[] {
  const sets = owned.filter(({ kind }) => kind === 'StatefulSet').map(({ metadata }) => metadata.name);
  const isOf = (claim: string): boolean => sets.some((set) => claim.replace(/-\d+$/, '').endsWith(`-${set}`) && /-\d+$/.test(claim));
  return objects.filter(({ kind, metadata }) => kind === CLAIM && (metadata.ownerReferences ?? []).length === 0 && isOf(metadata.name));
}

/** What deleting an object takes with it, and what it leaves. */
export function deletionFindings(root: KubeObject, owned: readonly KubeObject[], claims: readonly ClaimFate[]): Partial<Findings> {
  const { kind, metadata } = root;
  const kinds = [...new Set(owned.map((object) => object.kind))].filter((one) => one !== CLAIM).sort();
  return {
    removed: [
      { message: `${kind} ${metadata.name}`, subject: 'Object', evidence: 'exact' },
      ...kinds.map((one) => lineOf(one, owned)),
      ...claims.filter(({ fate }) => fate === 'Goes').map(claimGoes),
    ],
    warned: [...claims.filter(({ fate }) => fate === 'Stays').map(claimStays), ...finalizersOf(root)],
  };
}

function lineOf(kind: string, owned: readonly KubeObject[]): Finding {
  const names = owned.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
  return { message: `${kind} ${listInShort(names.toSorted(), NAMES)}`, subject: 'Object', evidence: 'exact' };
}

function claimGoes({ claim, reclaim }: ClaimFate): Finding {
  const message = `${CLAIM} ${claim.metadata.name}${sizeOf(claim)}: ${DATA_FATES[reclaim]}`;
  return { message, subject: 'Data', evidence: reclaim === 'Unknown' ? 'estimate' : 'exact' };
}

const DATA_FATES: Readonly<Record<Reclaim, string>> = {
  Delete: 'its data will be deleted',
  Retain: 'its volume and data stay until an admin deletes them, because its reclaim policy is Retain',
  Unknown: 'its data will be deleted, unless the reclaim policy of its volume, which you may not read, keeps it',
};

function claimStays({ claim }: ClaimFate): Finding {
  const message = `${CLAIM} ${claim.metadata.name}${sizeOf(claim)} stays with its data, and counts towards the quota, until somebody deletes it`;
  return { message, subject: 'Data', evidence: 'estimate' };
}

function sizeOf({ spec, status }: KubeObject): string {
  const size = textAt(status, 'capacity', 'storage') ?? textAt(spec, 'resources', 'requests', 'storage');
  return size === undefined ? '' : ` (${size})`;
}

function finalizersOf({ metadata: { finalizers = [] } }: KubeObject): Finding[] {
  const foreign = finalizers.filter((finalizer) => finalizer !== OURS.finalizer);
  if (foreign.length === 0) return [];
  return [{ message: `Waits for the finalizers of its operator: ${foreign.join(', ')}`, subject: 'Object', evidence: 'exact' }];
}

/** The instances that take outputs of one that is deleted. Their releases stay as they are. */
export function dependentFindings(root: KubeObject, objects: readonly KubeObject[]): Finding[] {
  const dependents = objects.filter((object) => takesOutputsOf(object, root));
  return dependents.map(({ kind, metadata }) => ({
    message: `${kind} ${metadata.name} takes outputs of this instance (spec.valuesFrom): its release stays as it is, and cannot be changed without them`,
    subject: 'Object',
    evidence: 'exact',
  }));
}
