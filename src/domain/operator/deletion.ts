import { isObject, listAt, objectAt, textAt } from '../core/read.ts';
import type { OperatorDeletionPolicy } from './kind/operator-kind.ts';
import type { MissingPermission } from '../core/errors.ts';
import type { DeletionBlocker, DeletionStatus } from './kind/status-fields.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

export interface DeletionStep {
  /** A sentence without a full stop. */
  readonly description: string;
  readonly state: 'Completed' | 'InProgress' | 'Pending';
}

/** What deleting an Operator does, how far it is, and what stands in the way. */
export interface DeletionPreview extends DeletionStatus {
  readonly policy: OperatorDeletionPolicy;
  readonly steps: readonly DeletionStep[];
}

const MAX_BLOCKERS = 20;

/** Who blocks, from the metadata of instances of one kind. */
export function blockersOf(kind: string, instances: readonly Pick<KubeObject, 'metadata'>[]): DeletionBlocker[] {
  return instances.map(({ metadata }) => ({
    kind,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    name: metadata.name,
    finalizers: metadata.finalizers ?? [],
    heldBy: managersOfFinalizers(metadata),
    ...(metadata.deletionTimestamp === undefined ? {} : { since: metadata.deletionTimestamp }),
  }));
}

/** The first of them by what needs a person first: those that hang, the longest first, then by name. */
export function firstBlockers(blockers: readonly DeletionBlocker[]): DeletionBlocker[] {
  const rank = ({ since, kind, namespace = '', name }: DeletionBlocker): string => [since ?? '~', kind, namespace, name].join('\0');
  return blockers.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, MAX_BLOCKERS);
}

/** `Cache team-a/one (since 2026-01-01T00:00:00Z it waits for the finalizer x, set by cache-operator)` */
export function blockerSentence({ kind, namespace, name, finalizers, heldBy, since }: DeletionBlocker): string {
  const who = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  if (since === undefined || finalizers.length === 0) return who;
  const by = heldBy.length === 0 ? '' : `, set by ${heldBy.join(', ')}`;
  return `${who} (since ${since} it waits for the ${finalizers.length === 1 ? 'finalizer' : 'finalizers'} ${finalizers.join(', ')}${by})`;
}

export interface DeletionProgress {
  readonly policy: OperatorDeletionPolicy;
  readonly deletion: DeletionStatus | undefined;
  /** Permissions without which instances of a kind cannot be counted. */
  readonly missing?: readonly MissingPermission[];
  /** Whether the release is still there. */
  readonly released: boolean;
}

/** The preview of a deletion that is under way. Pure. */
export function deletionPreview({ policy, deletion, missing = [], released }: DeletionProgress): DeletionPreview {
  const found = deletion ?? { instances: 0, blockers: [] };
  // Where some cannot be counted, there may be more.
  const emptied = found.instances === 0 && (found.unavailable ?? []).length === 0 && missing.length === 0;
  return { policy, ...found, steps: stepsOf(policy, { emptied, released }) };
}

function stepsOf(policy: OperatorDeletionPolicy, { emptied, released }: { emptied: boolean; released: boolean }): DeletionStep[] {
  const last = 'Chandlery removes its finalizer, and the Operator is deleted';
  const uninstalled = { description: 'The release is uninstalled', done: emptied && !released };
  switch (policy) {
    case 'Orphan':
      return ordered([
        { description: 'The release and the CRDs stay, without the label of the Operator', done: false },
        { description: last, done: false },
      ]);
    case 'Block':
      return ordered([
        { description: 'People delete the remaining instances', done: emptied },
        uninstalled,
        { description: 'The CRDs stay, without the label of the Operator', done: false },
        { description: last, done: false },
      ]);
    case 'Cascade':
      return ordered([
        { description: 'Chandlery deletes all instances and waits for their finalizers', done: emptied },
        uninstalled,
        { description: 'The CRDs are deleted', done: false },
        { description: last, done: false },
      ]);
    default:
      return policy satisfies never;
  }
}

function ordered(steps: readonly { readonly description: string; readonly done: boolean }[]): DeletionStep[] {
  const current = steps.findIndex(({ done }) => !done);
  return steps.map(({ description }, index) => ({
    description,
    state: index < current ? 'Completed' : index === current ? 'InProgress' : 'Pending',
  }));
}

/** Server-side bookkeeping tells who has set each finalizer: `f:metadata.f:finalizers.v:"name"`. */
function managersOfFinalizers(metadata: KubeObject['metadata']): string[] {
  const owners = listAt(metadata, 'managedFields').flatMap((entry) => {
    const set = objectAt(entry, 'fieldsV1', 'f:metadata', 'f:finalizers');
    const owns = (metadata.finalizers ?? []).some((name) => isObject(set) && Object.hasOwn(set, `v:${JSON.stringify(name)}`));
    return owns ? [textAt(entry, 'manager') ?? ''] : [];
  });
  return [...new Set(owners)].filter((name) => name !== '').sort();
}
