import {
  isExact,
  isInChannel,
  isNewer,
  isPinned,
  isSame,
  newerVersion,
  requestedVersion,
  type Channel,
} from '../../chart/chart-version.ts';
import { isOpen, nextOpening, windowSentence } from '../maintenance-window.ts';
import type { OperatorSpec } from '../../operator/operator-spec.ts';
import { digestDiffers, checkApproval, type ApprovalVerdict } from '../upgrade-approval.ts';
import type { PreviewedChart, UpgradeStep, UpgradeTiming } from './upgrade-preview.ts';

export interface TimingInput {
  readonly spec: OperatorSpec;
  /** Absent when nothing is installed. */
  readonly from: PreviewedChart | undefined;
  readonly to: PreviewedChart;
  /** Newer versions of the channel. */
  readonly offered: readonly string[];
  /** The annotation; empty when there is none. */
  readonly approved: string;
  readonly now: Date;
}

/** What has to happen before a version is installed, and when it can be. */
export function timingOf(input: TimingInput): Omit<UpgradeTiming, 'missing'> {
  const { spec, from, to, approved, now } = input;
  const { upgrade, chart } = spec;
  const channel: Channel = { version: chart.kind === 'url' ? '' : chart.version, ...optional('range', upgrade.range) };
  const question = { ...channel, text: approved, policy: upgrade.policy, installed: from?.version, offered: input.offered };
  const verdict = withDigestChecked(checkApproval(question), to);
  const { window } = upgrade;
  return {
    step: stepOf(input, channel, verdict),
    policy: upgrade.policy,
    ...(chart.kind === 'url' ? {} : { version: chart.version }),
    ...optional('range', upgrade.range),
    ...(approved === '' ? {} : { approved }),
    ...(verdict.kind === 'NoEffect' ? { fault: verdict.fault.message } : {}),
    ...(window === undefined
      ? {}
      : { window: { description: windowSentence(window), open: isOpen(window, now), opensAt: nextOpening(window, now).toISOString() } }),
  };
}

/** An approval of other bytes of the same version does not count. */
function withDigestChecked(verdict: ApprovalVerdict, to: PreviewedChart): ApprovalVerdict {
  if (verdict.kind !== 'Given' || verdict.approval.digest === undefined || !isSame(verdict.approval.version, to.version)) return verdict;
  return verdict.approval.digest === to.digest ? verdict : { kind: 'NoEffect', fault: digestDiffers(verdict.approval) };
}

function stepOf({ spec, from, to, offered }: TimingInput, channel: Channel, verdict: ApprovalVerdict): UpgradeStep {
  if (from !== undefined && from.digest === to.digest) return 'Installed';
  if (spec.suspend) return 'Suspended';
  if (spec.chart.kind === 'url' || from === undefined) return 'Underway';
  const { policy } = spec.upgrade;
  const approved = verdict.kind === 'Given' ? verdict.approval.version : undefined;
  const asked = requestedVersion({ ...channel, policy, installed: from.version, offered, approved });
  const chosen = isExact(asked) ? asked : (newerVersion(offered, channel, from.version) ?? from.version);
  if (isSame(chosen, to.version)) return 'Underway';
  if (isPinned(channel)) return 'Pinned';
  if (isNewer(from.version, to.version)) return 'Older';
  if (!isInChannel(to.version, channel)) return 'OutOfRange';
  return policy === 'Automatic' ? 'Superseded' : 'AwaitingApproval';
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
