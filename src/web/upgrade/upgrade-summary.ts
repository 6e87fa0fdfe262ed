import type { UpgradePreview, UpgradeStep } from '../../domain/upgrade/preview/upgrade-preview.ts';
import type { Badge, Tone } from '../page/badges.ts';
import { missingSentence } from '../page/message-page.ts';
import { plural } from '../page/view-helpers.ts';
import { dateText } from '../page/time-words.ts';

/** The first thing that the page of an upgrade says. */
export interface UpgradeSummary {
  readonly tone: Tone;
  readonly symbol: string;
  readonly title: string;
  readonly text: string;
  readonly points: readonly string[];
}

const MAX_POINTS = 10;

export function summaryOf(preview: UpgradePreview): UpgradeSummary {
  const { verdict } = preview;
  const { blockers } = verdict;
  switch (verdict.kind) {
    case 'Safe':
      return { tone: 'good', symbol: 'check', title: safeTitle(preview), text: wayOf(preview), points: [] };
    case 'Incomplete':
      return {
        tone: 'warn',
        symbol: 'unknown',
        title: 'No blockers found; some checks could not run',
        text: wayOf(preview),
        points: [],
      };
    case 'Blocked':
      return {
        tone: 'bad',
        symbol: 'bad',
        title: `Blocked by ${plural(blockers.length, 'issue', 'issues')}`,
        text: '',
        points: pointsOf(blockers),
      };
    default:
      return verdict.kind satisfies never;
  }
}

function isInstalled({ from, to }: UpgradePreview): boolean {
  return from?.digest === to.digest;
}

function safeTitle(preview: UpgradePreview): string {
  if (!isInstalled(preview)) return 'Safe to upgrade';
  return preview.proposedValues === undefined ? 'Already installed' : 'Safe to apply';
}

function wayOf(preview: UpgradePreview): string {
  const { from, to } = preview;
  if (from === undefined) return `${to.version} would be the first installation.`;
  const way = isInstalled(preview) ? `${to.version} is already installed.` : `From ${from.version} to ${to.version}.`;
  return `${way} Existing instances stay valid. All changes are listed below.`;
}

function pointsOf(stops: readonly string[]): readonly string[] {
  const more = stops.length - MAX_POINTS;
  return more > 0 ? [...stops.slice(0, MAX_POINTS), `and ${more} more, below`] : stops;
}

/** What has to happen, and when it can. */
export interface TimingPanel {
  readonly badge: Badge;
  readonly sentence: string;
  /** Empty without a maintenance window. */
  readonly window: string;
  /** Why an approval has no effect; empty when none is there. */
  readonly fault: string;
  /** Why the person may not approve; empty when they may, or nobody has to. */
  readonly missing: string;
}

export function timingOf(preview: UpgradePreview): TimingPanel {
  const { timing } = preview;
  const { window, missing, fault = '' } = timing;
  return {
    badge: BADGES[timing.step],
    sentence: preview.proposedValues === undefined ? SENTENCES[timing.step](preview) : TRIED,
    window: window === undefined ? '' : `Maintenance window: ${window.description}. It is ${window.open ? 'open' : 'closed'} now.`,
    fault,
    missing: timing.step === 'AwaitingApproval' && missing !== undefined ? missingSentence(missing) : '',
  };
}

const TRIED =
  'A preview changes nothing. Write the values into the Operator, with the command below or in its file, and the controller installs them.';

const BADGES: Readonly<Record<UpgradeStep, Badge>> = {
  Installed: { label: 'Installed', tone: 'good', symbol: 'check' },
  Suspended: { label: 'Suspended', tone: 'idle', symbol: 'pause' },
  Underway: { label: 'Scheduled', tone: 'busy', symbol: 'busy' },
  AwaitingApproval: { label: 'Awaits approval', tone: 'accent', symbol: 'pause' },
  Pinned: { label: 'Pinned', tone: 'idle', symbol: 'anchor' },
  OutOfRange: { label: 'Outside the channel', tone: 'idle', symbol: 'compass' },
  Superseded: { label: 'Superseded', tone: 'idle', symbol: 'up' },
  Older: { label: 'Older', tone: 'warn', symbol: 'down' },
};

const SENTENCES: Readonly<Record<UpgradeStep, (preview: UpgradePreview) => string>> = {
  Installed: ({ to }) => `${to.version} is installed.`,
  Suspended: () => 'The Operator is suspended. Resume it to upgrade.',
  Underway: (preview) => `Approved: ${startOf(preview)}.`,
  AwaitingApproval: (preview) => `Approval required. Then ${startOf(preview)}.`,
  Pinned: ({ timing, to }) =>
    `spec.chart.version pins ${timing.version ?? ''}. Set it to ${to.version}, or set spec.upgrade.range to follow newer versions.`,
  OutOfRange: ({ timing }) =>
    `The version is not in the channel ${timing.range ?? timing.version ?? ''}. Widen spec.upgrade.range to include it.`,
  Superseded: () => 'The policy Automatic installs a newer version of the channel instead.',
  Older: ({ from }) => `The version is older than the installed ${from?.version ?? ''}. A channel only moves forward.`,
};

function startOf({ timing: { window } }: UpgradePreview): string {
  if (window === undefined) return 'the controller installs it at once';
  return window.open
    ? 'the controller installs it at once, because the maintenance window is open'
    : `the controller installs it when the maintenance window opens, ${dateText(window.opensAt)}`;
}
