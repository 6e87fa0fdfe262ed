import type { AffectedInstance, AffectedInstances, UpgradePreview, UpgradeStep } from '../../domain/upgrade/preview/upgrade-preview.ts';
import type { MigrationChange } from '../../domain/upgrade/preview/value-rows.ts';
import type { Badge, Tone } from '../page/badges.ts';
import { missingSentence } from '../page/message-page.ts';
import { instancePath } from '../page/paths.ts';
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

/** What a changed CRD will ask about stored instances. */
export interface AffectedView {
  readonly sentence: string;
  readonly rows: readonly {
    readonly what: string;
    readonly fields: readonly string[];
    readonly more: string;
    readonly instances: number;
  }[];
  readonly instances: readonly { readonly name: string; readonly href: string; readonly what: string }[];
  /** Empty when all are named. */
  readonly more: string;
}

const WORDS: Readonly<Record<MigrationChange, string>> = {
  removed: 'Values without a field',
  renamed: 'Values without a field, with a similar new field',
  required: 'New required fields',
  default: 'Changed defaults of empty fields',
  type: 'Values of a wrong type',
  narrowed: 'Values out of the new limits',
};
const SHORT: Readonly<Record<MigrationChange, string>> = {
  removed: 'removed',
  renamed: 'renamed',
  required: 'required',
  default: 'with another default',
  type: 'of another type',
  narrowed: 'beyond the limits',
};

const LOSS = ' Values without a field are dropped with the next write of their instance: record them, or change these instances first.';

/** @param app the name of the CRD. */
export function affectedView(app: string, { changes, total, instances }: AffectedInstances): AffectedView {
  const unnamed = total - instances.length;
  const loses = changes.some(({ change }) => change === 'removed' || change === 'renamed');
  return {
    sentence: `Decisions are needed about fields of ${plural(total, 'instance', 'instances')}. Their pages offer the options after the upgrade.${loses ? LOSS : ''}`,
    rows: changes.map(({ change, fields, fieldCount, instances }) => ({
      what: WORDS[change],
      fields,
      more: fieldCount > fields.length ? `and ${fieldCount - fields.length} more` : '',
      instances,
    })),
    instances: instances.map((instance) => ({ ...nameOf(app, instance), what: whatOf(instance) })),
    more: unnamed > 0 ? `${plural(unnamed, 'more instance is', 'more instances are')} not listed.` : '',
  };
}

function nameOf(app: string, { namespace, environment, name }: AffectedInstance): { readonly name: string; readonly href: string } {
  if (environment === undefined) return { name: namespace === undefined ? name : `${namespace}/${name}`, href: '' };
  return { name: `${environment}/${name}`, href: instancePath({ environment, app, name }) };
}

/** `2 removed, 1 required` */
function whatOf({ rows }: AffectedInstance): string {
  return rows.map(({ change, count }) => `${count} ${SHORT[change]}`).join(', ');
}
