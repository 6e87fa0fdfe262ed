import { listInShort } from '../../core/name-words.ts';
import {
  type Channel,
  isExact,
  isInChannel,
  isMajorStep,
  isNewer,
  isPinned,
  isSame,
  newerVersion,
  requestedVersion,
} from '../../chart/chart-version.ts';
import type { OperatorSpec } from '../../operator/operator-spec.ts';
import type { OperatorStatus } from '../../operator/operator-status.ts';
import { blocksUpgrade } from '../crd-safety/stored-checks.ts';
import type { MissingPermission } from '../../core/errors.ts';
import { isOpen, nextOpening, windowSentence } from '../maintenance-window.ts';
import type {
  PreviewedChart,
  PreviewedCrd,
  PreviewedCrds,
  PreviewedFields,
  PreviewedInstances,
  PreviewedValues,
  UpgradeStep,
  UpgradeTiming,
  UpgradeVerdict,
} from './upgrade-preview.ts';
import { type ApprovalVerdict, checkApproval, digestDiffers } from '../upgrade-approval.ts';

export interface PreviewCheckInput {
  readonly crds: PreviewedCrds;
  readonly fields: PreviewedFields;
  readonly instances: PreviewedInstances;
  readonly values: PreviewedValues;
  /** What stops it before anything is compared: it does not render, a legacy object cannot be carried over, values cannot be read. */
  readonly faults: readonly string[];
}

/** The one word about an upgrade, what would stop it, and what was not looked at. */
export function checkPreview({ crds, fields, instances, values, faults }: PreviewCheckInput): UpgradeVerdict {
  const unsafe = crds.items.filter((definition) => blocksUpgrade(definition, crds.safety));
  const rejected = crds.items.flatMap(({ crd, rejection }) => (rejection === undefined ? [] : [`${crd}: ${rejection}`]));
  const blockers = [
    ...faults,
    ...unsafe.map((definition) => unsafeSentence(definition, crds.safety)),
    ...rejected,
    ...fields.rejections.map(({ object, message, recreate }) =>
      recreate ? `${object} would have to be deleted and recreated: ${message}` : `${object} would be rejected: ${message}`,
    ),
  ];
  const unchecked = [
    ...uncheckedSentences('Existing instances were not validated against the new CRDs', crds.missing),
    ...uncheckedSentences('Some objects had no dry run', fields.missing),
    ...uncheckedSentences('Some values could not be read', values.missing),
    ...uncheckedSentences('Some instances could not be counted', instances.missing),
    ...instances.unavailable.map(({ kind, message }) => `The instances of ${kind} could not be counted: ${message}`),
  ];
  const word = blockers.length > 0 ? 'Blocked' : unchecked.length > 0 ? 'Incomplete' : 'Safe';
  return { kind: word, blockers, unchecked };
}

/** `get secrets in the namespace a`, `list caches.samples.chandlery.dev` */
export function permissionText({ verb, group, resource, namespace }: MissingPermission): string {
  return `${verb} ${group === '' ? resource : `${resource}.${group}`}${namespace === undefined ? '' : ` in the namespace ${namespace}`}`;
}

function unsafeSentence({ crd, findings, faultCount }: PreviewedCrd, safety: PreviewedCrds['safety']): string {
  const unsafe = findings.filter((finding) => blocksUpgrade({ findings: [finding], faults: [] }, safety)).length;
  const parts = [
    ...(unsafe === 0 ? [] : [`it has ${unsafe === 1 ? '1 breaking change' : `${unsafe} breaking changes`}`]),
    ...(faultCount === 0 ? [] : [`${faultCount === 1 ? '1 existing instance' : `${faultCount} existing instances`} would be invalid`]),
  ];
  return `The new CRD ${crd} is unsafe: ${parts.join(', and ')}`;
}

function uncheckedSentences(what: string, missing: readonly MissingPermission[]): string[] {
  if (missing.length === 0) return [];
  const permissions = [...new Set(missing.map(permissionText))];
  return [`${what}: you lack the permission to ${listInShort(permissions, 5)}`];
}

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
  const chosen =
    isExact(asked) || asked === from.version || offered.includes(asked)
      ? asked
      : (newerVersion(offered, channel, from.version) ?? from.version);
  if (isSame(chosen, to.version)) return 'Underway';
  if (isPinned(channel)) return 'Pinned';
  if (isNewer(from.version, to.version)) return 'Older';
  if (!isInChannel(to.version, channel)) return 'OutOfRange';
  return policy === 'Automatic' ? 'Superseded' : 'AwaitingApproval';
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}

export interface WarningsInput {
  readonly status: Pick<OperatorStatus, 'release' | 'pendingUpgrade'>;
  /** The chart that is installed, where it can be had. */
  readonly from: PreviewedChart | undefined;
  readonly to: PreviewedChart;
  /** Whether the installed chart renders still. */
  readonly before: 'Rendered' | 'Broken';
  /** How many sources of values the actor may not read. */
  readonly unread: number;
}

/** What to know about a preview, in sentences. */
export function upgradeWarnings({ status, from, to, before, unread }: WarningsInput): string[] {
  const [installed, wanted] = [from?.version ?? '', to.version];
  const isSameChart = from?.digest === to.digest;
  return [
    ...(isMajorStep(installed, wanted) ? [`${wanted} is another major version than ${installed}: read its release notes first`] : []),
    ...(isNewer(installed, wanted) ? [`${wanted} is older than ${installed}, which is installed`] : []),
    ...(status.release === undefined ? ['Nothing is installed yet, so everything is new'] : []),
    ...(status.release !== undefined && from === undefined
      ? ['The installed chart can no longer be fetched, so everything appears as new']
      : []),
    ...(before === 'Broken' ? ['The installed chart no longer renders, so everything appears as new'] : []),
    ...(isSameChart && status.pendingUpgrade?.reason === 'OutsideWindow'
      ? ['Values or settings wait for the maintenance window. Both sides are rendered with the current ones, so their effect is not shown']
      : []),
    ...(unread > 0 ? ['Values that you may not read have the same placeholder on both sides'] : []),
  ];
}
