import type { DeletionPreview } from '../../domain/operator/deletion.ts';
import { operatorCommands } from '../../domain/operator/operator-commands.ts';
import type { OperatorView } from '../../domain/operator/operator.ts';
import type { Badge } from '../page/badges.ts';
import { missingSentence } from '../page/message-page.ts';
import { displayNameOf } from './operators-page.ts';
import { keepButton } from '../page/keep-routes.ts';
import { operatorPath } from '../page/paths.ts';
import type { OperatorDeletion } from '../../operation/operator/write-operator.ts';

/** A view of `parts/deletion-preview`. */
export interface DeletionView {
  readonly policy: string;
  readonly policySentence: string;
  readonly steps: readonly { readonly description: string; readonly badge: Badge }[];
  readonly instances: number;
  readonly blockers: readonly BlockerRow[];
  /** How many more instances there are than are named. */
  readonly more: number;
  /** Kinds whose instances nobody can count now. */
  readonly unavailable: NonNullable<DeletionPreview['unavailable']>;
}

interface BlockerRow {
  readonly kind: string;
  readonly place: string;
  readonly name: string;
  readonly finalizers: string;
  readonly heldBy: string;
  /** RFC 3339; empty while it is not being deleted. */
  readonly since: string;
}

const POLICIES: Readonly<Record<DeletionPreview['policy'], string>> = {
  Block: 'waits while instances of its kinds exist, then uninstalls the release. The CRDs and instances of other owners stay.',
  Cascade: 'deletes every instance of its kinds in every environment, the release and the CRDs. All data is lost.',
  Orphan: 'keeps the release, the CRDs and the instances. Chandlery no longer manages them.',
};

const STEP_BADGES: Readonly<Record<DeletionPreview['steps'][number]['state'], Badge>> = {
  Completed: { label: 'Completed', tone: 'good', symbol: 'check' },
  InProgress: { label: 'Next', tone: 'busy', symbol: 'busy' },
  Pending: { label: 'Pending', tone: 'idle', symbol: 'pause' },
};

/** @param still whether nothing moves yet: a step that would come first is no work that goes on. */
export function deletionView({ policy, steps, instances, blockers, unavailable = [] }: DeletionPreview, still?: 'still'): DeletionView {
  const next: Badge =
    still === undefined ? { label: 'Now', tone: 'busy', symbol: 'busy' } : { label: 'First', tone: 'idle', symbol: 'info' };
  return {
    policy,
    policySentence: POLICIES[policy],
    steps: steps.map(({ description, state }) => ({ description, badge: state === 'InProgress' ? next : STEP_BADGES[state] })),
    instances,
    blockers: blockers.map(({ kind, namespace = '', name, finalizers, heldBy, since = '' }) => ({
      kind,
      place: namespace === '' ? 'the whole cluster' : namespace,
      name,
      finalizers: finalizers.join(', '),
      heldBy: heldBy.join(', '),
      since,
    })),
    more: Math.max(0, instances - blockers.length),
    unavailable,
  };
}

/** A view of the page `operators/delete`. */
export interface OperatorDeletePage {
  readonly name: string;
  readonly displayName: string;
  readonly preview: DeletionView;
  readonly deleting: boolean;
  /** Cancels the deletion; absent while it is not being deleted. */
  readonly keep?: ReturnType<typeof keepButton>;
  /** What there is to lose, or to wait for. */
  readonly warning: { readonly tone: string; readonly symbol: string; readonly title: string; readonly text: string };
  /** With Cascade the name must be typed, so that a slip of the hand deletes nobody's data. */
  readonly typeName: boolean;
  /** Whether it can be asked for: not again, and not while instances exist that it may not delete. */
  readonly deletable: boolean;
  readonly fault: string;
  readonly faults: readonly { readonly message: string; readonly href: string }[];
  readonly source: string;
  readonly missing: readonly string[];
  /** Why it may not be deleted; empty when it may. */
  readonly rejected: string;
  readonly action: string;
  readonly backHref: string;
  readonly command: string;
}

export interface DeleteInput {
  readonly operator: OperatorView;
  readonly deletion: OperatorDeletion;
  /** Absent when the name was not typed as it should be. */
  readonly fault?: string;
  readonly rejected: string;
}

export function operatorDeletePage({ operator, deletion, fault = '', rejected }: DeleteInput): OperatorDeletePage {
  return {
    name: operator.name,
    displayName: displayNameOf(operator),
    preview: deletionView(deletion, deletion.state === 'Preview' ? 'still' : undefined),
    deleting: deletion.state === 'Deleting',
    ...(deletion.state === 'Deleting' ? { keep: keepButton(operatorPath(operator)) } : {}),
    warning: warningOf(deletion),
    typeName: needsName(deletion),
    deletable: deletion.state !== 'Deleting' && (deletion.policy !== 'Block' || deletion.instances === 0),
    fault,
    faults: fault === '' ? [] : [{ message: fault, href: '#name' }],
    source: operator.source ?? '',
    missing: deletion.missing.map(missingSentence),
    rejected,
    action: operatorPath(operator, 'delete'),
    backHref: operatorPath(operator),
    command: operatorCommands(operator).delete,
  };
}

export function needsName({ policy }: Pick<DeletionPreview, 'policy'>): boolean {
  return policy === 'Cascade';
}

function warningOf(deletion: OperatorDeletion): OperatorDeletePage['warning'] {
  const { policy, instances, missing, unavailable = [] } = deletion;
  const isCounted = missing.length === 0 && unavailable.length === 0;
  const many = `${isCounted ? '' : 'At least '}${instances === 1 ? '1 instance' : `${instances} instances`}`;
  switch (policy) {
    case 'Block':
      return blockWarning(deletion, { many, isCounted });
    case 'Cascade':
      return {
        tone: 'bad',
        symbol: 'warn',
        title: 'This cannot be undone',
        text: `${isCounted ? many : 'All instances'} of its kinds ${isCounted && instances === 1 ? 'is' : 'are'} deleted with all data. Make backups first if you need them.`,
      };
    case 'Orphan':
      return {
        tone: 'warn',
        symbol: 'warn',
        title: 'The release stays unmanaged',
        text: 'The release and the CRDs stay, without upgrades and drift correction.',
      };
    default:
      return policy satisfies never;
  }
}

function blockWarning(
  { instances }: OperatorDeletion,
  { many, isCounted }: { readonly many: string; readonly isCounted: boolean },
): OperatorDeletePage['warning'] {
  const [warn, meanwhile] = [{ tone: 'warn', symbol: 'warn' }, 'Meanwhile its apps cannot be installed.'];
  if (instances > 0) {
    return {
      ...warn,
      title: `${many} ${isCounted && instances === 1 ? 'blocks' : 'block'} the deletion`,
      text: 'Delete them first, or change deletionPolicy to Cascade, which deletes them with all data, or to Orphan, which keeps them.',
    };
  }
  if (isCounted)
    return { tone: 'idle', symbol: 'info', title: 'Nothing blocks the deletion', text: 'There are no instances of its kinds.' };
  const title = 'Instances may block the deletion';
  return {
    ...warn,
    title,
    text: `Nothing is deleted until Chandlery has counted the instances of all kinds, and none is left. ${meanwhile}`,
  };
}
