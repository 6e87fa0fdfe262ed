import { type LabelledCommand, operatorCommands } from '../../domain/operator/operator-commands.ts';
import type { OperatorView } from '../../domain/operator/operator.ts';
import { type Badge, operatorBadge } from '../page/badges.ts';
import { missingSentence } from '../page/message-page.ts';
import { displayNameOf } from './operators-page.ts';
import { keepButton } from '../page/keep-routes.ts';
import { operatorPath } from '../page/paths.ts';
import type { OperatorPermissions } from '../../operation/operator/operator-permissions.ts';

const OPERATOR_TABS = ['overview', 'resources', 'events', 'values', 'instances', 'monitoring', 'notes'] as const;
export type OperatorTab = (typeof OPERATOR_TABS)[number];

/** The tab that an address names; the first one when it names none. */
export function parseOperatorTab(text: string | null): OperatorTab {
  return OPERATOR_TABS.find((tab) => tab === text) ?? 'overview';
}

/** What stands around the tabs of an Operator. */
export interface OperatorFrame {
  readonly namespace: string;
  readonly name: string;
  readonly displayName: string;
  readonly status: Badge;
  readonly created: string;
  /** Empty where nobody is recorded. */
  readonly createdBy: string;
  /** The CatalogSource that keeps it; empty when nobody does. */
  readonly source: string;
  readonly tab: OperatorTab;
  readonly logsHref: string;
  readonly tabs: readonly { readonly label: string; readonly href: string; readonly current: boolean }[];
  readonly buttons: readonly StepButton[];
  /** Absent without the permission, or while it is deleted. */
  readonly deleteHref?: string;
  /** Why there are no buttons; empty when there are. */
  readonly rejected: string;
  /** What was asked for just now; empty when nothing was. */
  readonly asked: string;
  readonly commands: readonly LabelledCommand[];
  /** Empty for a tab that does not change by itself. */
  readonly streamHref: string;
  readonly goneHref: string;
}

export interface StepButton {
  readonly label: string;
  readonly action: string;
  readonly symbol: string;
  readonly primary: boolean;
  readonly help: string;
}

export interface FrameInput {
  readonly operator: OperatorView;
  readonly permissions: OperatorPermissions;
  readonly tab: OperatorTab;
  /** The step that was asked for just now. */
  readonly asked: string | null;
}

const LABELS: Readonly<Record<OperatorTab, string>> = {
  overview: 'Overview',
  resources: 'Resources',
  events: 'Events',
  values: 'Values',
  instances: 'Instances',
  monitoring: 'Monitoring',
  notes: 'Notes',
};
const LIVE_TABS: readonly OperatorTab[] = ['overview', 'resources', 'events'];

export function operatorFrame({ operator, permissions, tab, asked }: FrameInput): OperatorFrame {
  const { namespace, name } = operator;
  const page = operatorPath(operator);
  const deleting = operator.status === 'DELETING';
  return {
    namespace,
    name,
    displayName: displayNameOf(operator),
    status: operatorBadge(operator),
    created: operator.created,
    createdBy: operator.createdBy ?? '',
    source: operator.source ?? '',
    tab,
    logsHref: `${page}/logs`,
    tabs: OPERATOR_TABS.map((one) => ({ label: LABELS[one], href: tabPath(operator, one), current: one === tab })),
    buttons: permissions.patch !== undefined ? [] : deleting ? [keepButton(page)] : stepButtons(operator),
    ...(permissions.delete !== undefined || deleting ? {} : { deleteHref: `${page}/delete` }),
    rejected: rejection(permissions),
    asked: askedSentence(asked),
    commands: commandsOf(operator),
    streamHref: LIVE_TABS.includes(tab) ? `${page}/stream?tab=${tab}` : '',
    goneHref: `/operators?gone=${encodeURIComponent(name)}`,
  };
}

export function tabPath(operator: { readonly namespace: string; readonly name: string }, tab: OperatorTab): string {
  return tab === 'overview' ? operatorPath(operator) : `${operatorPath(operator)}?tab=${tab}`;
}

function stepButtons(operator: OperatorView): StepButton[] {
  const action = (step: string): string => operatorPath(operator, step);
  const resume = { label: 'Resume', action: action('resume'), symbol: 'play', primary: true, help: 'Resume reconciling' };
  if (operator.suspended) return [resume];
  return [
    {
      label: 'Reconcile now',
      action: action('reconcile'),
      symbol: 'refresh',
      primary: true,
      help: 'Reconcile now instead of after the interval',
    },
    {
      label: 'Force upgrade',
      action: action('force'),
      symbol: 'bolt',
      primary: false,
      help: 'Upgrade now, whatever the state: clears failures and ignores the maintenance window',
    },
    { label: 'Suspend', action: action('suspend'), symbol: 'pause', primary: false, help: 'Stop reconciling until you resume' },
  ];
}

function rejection({ patch, delete: remove }: OperatorPermissions): string {
  const sentences = [patch, remove].flatMap((permission) => (permission === undefined ? [] : [missingSentence(permission)]));
  return sentences.length === 0 ? '' : `You may read this Operator, but some actions need permissions. ${sentences.join(' ')}`;
}

const ASKED: Readonly<Record<string, string>> = {
  reconcile: 'Reconcile requested. The result appears here.',
  force: 'Upgrade requested. The result appears here.',
  suspend: 'Suspended. The controller does not reconcile this Operator until you resume it.',
  resume: 'Resumed. The result appears here.',
  delete: 'Deletion requested. The progress appears here.',
  'cancel-deletion': 'Keeping requested. The Operator is created again in a moment, with all that depends on it.',
};

function askedSentence(step: string | null): string {
  return step !== null && Object.hasOwn(ASKED, step) ? (ASKED[step] ?? '') : '';
}

function commandsOf(operator: OperatorView): LabelledCommand[] {
  const commands = operatorCommands(operator);
  return [
    { label: 'Read it', text: commands.read },
    { label: 'Reconcile now', text: commands.reconcile },
    { label: 'Force an upgrade', text: commands.force },
    operator.suspended ? { label: 'Resume it', text: commands.resume } : { label: 'Suspend it', text: commands.suspend },
    { label: 'Delete it', text: commands.delete },
  ];
}
