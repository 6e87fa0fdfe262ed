import type { FieldRejection, PreviewedCrd, PreviewedValue, UpgradePreview } from '../../domain/upgrade/preview/upgrade-preview.ts';
import { blocksUpgrade } from '../../domain/upgrade/crd-safety/stored-checks.ts';
import { changelogPart, type ChangelogPart } from '../page/changelog-part.ts';
import type { LabelledCommand } from '../../domain/operator/operator-commands.ts';
import type { Badge } from '../page/badges.ts';
import { findingsView, type FindingsView } from '../page/findings-view.ts';
import { objectsView, type ObjectsView } from '../page/objects-view.ts';
import { appPath, environmentPath, operatorPath } from '../page/paths.ts';
import { affectedView, type AffectedView, summaryOf, timingOf, type TimingPanel, type UpgradeSummary } from './upgrade-summary.ts';
import { remediesOf, type Review } from '../instance/review.ts';
import type { InstanceOwner } from '../../operation/proposal/show-owner.ts';
import { type ProposePart, proposePart } from '../proposal/proposal-routes.ts';
import { valueDecisionsView, type ValueDecisionsView } from './value-decisions-view.ts';
import { plural } from '../page/view-helpers.ts';

/** A view of `operators/upgrade`. */
export interface UpgradePage {
  readonly heading: string;
  readonly namespace: string;
  readonly name: string;
  readonly badge: Badge;
  readonly action: string;
  readonly summary: UpgradeSummary;
  readonly unchecked: readonly string[];
  readonly warnings: readonly string[];
  readonly objects: ObjectsView;
  readonly crds: {
    readonly rows: readonly { readonly kind: string; readonly crd: string; readonly href: string; readonly badge: Badge }[];
    readonly findings: readonly { readonly crd: string; readonly lines: readonly string[]; readonly affected?: AffectedView }[];
    readonly note: string;
  };
  readonly fields: {
    readonly rejections: readonly { readonly object: string; readonly why: string; readonly advice: string }[];
    readonly sentence: string;
    /** What the api-server says of each object, but for what it rejects. */
    readonly findings: FindingsView;
    readonly remedies: Review['remedies'];
  };
  readonly places: readonly { readonly where: string; readonly href: string; readonly kind: string; readonly count: number }[];
  readonly noPlaces: string;
  readonly values: { readonly changed: readonly ValueRow[]; readonly same: readonly ValueRow[]; readonly omitted: string };
  readonly conversions: readonly string[];
  /** Absent when the new chart asks nothing about the values of the Operator. */
  readonly decisions?: ValueDecisionsView;
  /** Whether the approval stands beside these values. */
  readonly decideFirst: boolean;
  readonly errors: ValueDecisionsView['errors'];
  /** Values that somebody wants to try, as they wrote them, and what is wrong with the text. */
  readonly previewValues: {
    readonly action: string;
    readonly version: string;
    readonly text: string;
    readonly fault: string;
    readonly shown: boolean;
  };
  readonly timing: TimingPanel;
  readonly approve?: {
    readonly action: string;
    readonly version: string;
    readonly digest: string;
    readonly primary: boolean;
    readonly note: string;
  };
  /** Absent where nobody has to approve or change the version, or no source can hold the Operator. */
  readonly propose?: { readonly action: string; readonly version: string; readonly digest: string; readonly part: ProposePart };
  readonly chartFacts: readonly { readonly term: string; readonly text: string }[];
  readonly choices: readonly { readonly version: string; readonly selected: boolean }[];
  /** What the authors of the chart say of the new version; absent when they say nothing. */
  readonly changelog?: ChangelogPart;
  readonly commands: readonly LabelledCommand[];
  /** Why the approval or proposal that was just asked for was rejected. */
  readonly rejected?: UpgradeRejection;
  /** What an approval that was just given leads to. */
  readonly approvedNow?: { readonly title: string; readonly text: string };
}

interface ValueRow {
  readonly path: string;
  readonly origin: string;
  readonly from: string;
  readonly to: string;
  readonly secret: boolean;
}

interface UpgradeRejection {
  readonly title: 'Approval failed' | 'Proposal failed';
  readonly text: string;
}

export interface UpgradeOutcome {
  readonly rejected?: UpgradeRejection;
  /** Where the change can be proposed; absent: nowhere. */
  readonly owner?: InstanceOwner;
  readonly approved?: 'approved';
  /** What was chosen about values. */
  readonly body?: URLSearchParams;
  /** Why values to try cannot be read. */
  readonly previewValuesFault?: string;
}

export function upgradePage(preview: UpgradePreview, outcome: UpgradeOutcome = {}): UpgradePage {
  const { rejected, approved, body = new URLSearchParams(), previewValuesFault = '' } = outcome;
  const timing = timingOf(preview);
  const action = operatorPath(preview, 'upgrade');
  const approve = approveOf(preview, action);
  const decisions = valueDecisionsView(preview, { action, body, mayApprove: approve.approve !== undefined });
  return {
    heading: headingOf(preview),
    namespace: preview.namespace,
    name: preview.name,
    badge: timing.badge,
    action,
    summary: summaryOf(preview),
    unchecked: preview.verdict.unchecked,
    warnings: preview.warnings,
    objects: objectsView(preview.objects),
    crds: crdsOf(preview),
    fields: fieldsOf(preview),
    places: placesOf(preview),
    noPlaces: noPlaces(preview),
    values: valuesOf(preview),
    conversions: conversionsOf(preview),
    timing,
    ...(decisions?.approve === true ? {} : approve),
    ...(decisions === undefined ? {} : { decisions }),
    decideFirst: decisions?.approve === true,
    ...(decisions?.approve === true ? {} : proposeOf(preview, action, outcome)),
    errors: previewValuesFault === '' ? (decisions?.errors ?? []) : [{ message: previewValuesFault, href: '#previewValues' }],
    previewValues: previewValuesOf(preview, outcome),
    chartFacts: chartFacts(preview),
    choices: choicesOf(preview),
    ...(preview.to.changelog === undefined ? {} : { changelog: changelogPart(preview.to.changelog) }),
    commands: preview.commands,
    ...(rejected === undefined ? {} : { rejected }),
    ...(approved === undefined ? {} : { approvedNow: { title: `${preview.to.version} is approved`, text: timing.sentence } }),
  };
}

function previewValuesOf(preview: UpgradePreview, { body, previewValuesFault: fault = '' }: UpgradeOutcome): UpgradePage['previewValues'] {
  const shown = preview.proposedValues !== undefined || fault !== '';
  return { action: operatorPath(preview, 'upgrade'), version: preview.to.version, text: body?.get('previewValues') ?? '', fault, shown };
}

function conversionsOf({ conversions }: UpgradePreview): string[] {
  return conversions.map(({ kind, name, from, to, note }) => `${kind} ${name}: ${from} becomes ${to}${note === '' ? '' : `, ${note}`}`);
}

function headingOf({ displayName, from, to, timing, proposedValues }: UpgradePreview): string {
  if (proposedValues !== undefined) return `${displayName} ${to.version} with other values`;
  if (from === undefined) return `Install ${displayName} ${to.version}`;
  if (timing.step === 'Installed') return `${displayName} ${to.version}`;
  return `${timing.step === 'Older' ? 'Move' : 'Upgrade'} ${displayName} to ${to.version}`;
}

function crdsOf({ crds: { items, safety } }: UpgradePreview): UpgradePage['crds'] {
  return {
    rows: items.map((definition) => {
      const { kind, crd } = definition;
      return { kind, crd, href: appPath(crd), badge: verdictBadge(definition, safety) };
    }),
    findings: items.flatMap((definition) => {
      const lines = findingLines(definition);
      const { crd, affected } = definition;
      if (affected !== undefined) return [{ crd, lines, affected: affectedView(crd, affected) }];
      return lines.length === 0 ? [] : [{ crd, lines }];
    }),
    note: SAFETY_NOTES[safety],
  };
}

const SAFETY_NOTES: Readonly<Record<UpgradePreview['crds']['safety'], string>> = {
  Strict: '',
  Instances: 'spec.upgrade.crdSafety is Instances: only an invalid existing instance blocks the upgrade.',
  None: 'spec.upgrade.crdSafety is None: unsafe changes do not block the upgrade.',
};

function verdictBadge(definition: PreviewedCrd, safety: UpgradePreview['crds']['safety']): Badge {
  if (definition.rejection !== undefined) return { label: 'Rejected', tone: 'bad', symbol: 'bad' };
  if (blocksUpgrade(definition, safety)) return { label: 'Unsafe', tone: 'bad', symbol: 'bad' };
  if (blocksUpgrade(definition, 'Strict')) return { label: 'Breaking change', tone: 'warn', symbol: 'info' };
  switch (definition.change) {
    case 'added':
      return { label: 'New', tone: 'good', symbol: 'plus' };
    case 'retained':
      return { label: 'Kept, no longer in the chart', tone: 'warn', symbol: 'info' };
    case 'changed':
      return { label: 'Changes safely', tone: 'good', symbol: 'check' };
    case 'same':
      return { label: 'Unchanged', tone: 'idle', symbol: 'check' };
    default:
      return definition.change satisfies never;
  }
}

function findingLines({ findings, faults, faultCount, rejection }: PreviewedCrd): string[] {
  const more = faultCount - faults.length;
  return [
    ...(rejection === undefined ? [] : [`The api-server rejects the CRD: ${rejection}`]),
    ...findings.map(({ path, message, severity }) => `${path}: ${message}${severity === 'Notice' ? ' (harmless)' : ''}`),
    ...faults.map(({ instance, path, message }) => `${instance} would be invalid: ${path}: ${message}`),
    ...(more > 0 ? [`${plural(more, 'more instance', 'more instances')} would be invalid`] : []),
  ];
}

function fieldsOf({ fields: { rejections, checked, missing }, findings, remedies }: UpgradePreview): UpgradePage['fields'] {
  const asks = `The api-server checked ${plural(checked, 'object', 'objects')} in a dry run.`;
  const rules = 'You lack the permission to dry-run all of them, so the rest is inferred from their kinds.';
  return {
    rejections: rejections.map((rejection) => ({ object: rejection.object, why: rejection.message, advice: adviceOn(rejection) })),
    sentence:
      `${rejections.length === 0 ? 'No objects are rejected. ' : ''}${checked === 0 && missing.length > 0 ? '' : asks} ${missing.length > 0 ? rules : ''}`.trim(),
    findings: findingsView({ ...findings, blocked: findings.blocked.filter(({ subject }) => subject === 'Permission') }),
    remedies: remediesOf({ remedies }),
  };
}

function adviceOn({ recreate }: FieldRejection): string {
  return recreate ? 'Delete it before the upgrade, with --cascade=orphan to keep its pods, or use a chart that does not change it.' : '';
}

function noPlaces({ instances: { missing, unavailable } }: UpgradePreview): string {
  if (unavailable.length > 0) return 'No instances that can be listed now.';
  return missing.length > 0 ? 'No instances that you may list.' : 'There are no instances.';
}

function placesOf({ instances: { namespaces } }: UpgradePreview): UpgradePage['places'] {
  return namespaces.map(({ environment, namespace, kind, count }) => ({
    where: environment ?? namespace ?? 'the whole cluster',
    href: environment === undefined ? '' : environmentPath(environment),
    kind,
    count,
  }));
}

function valuesOf({ values: { items, omitted } }: UpgradePreview): UpgradePage['values'] {
  const row = ({ path, origin, from = '', to = '', secret }: PreviewedValue): ValueRow => ({ path, origin, from, to, secret });
  return {
    changed: items.filter(({ change }) => change !== 'same').map(row),
    same: items.filter(({ change }) => change === 'same').map(row),
    omitted: omitted === 0 ? '' : `${plural(omitted, 'more value is', 'more values are')} not listed.`,
  };
}

function approveOf({ timing, to, verdict, proposedValues }: UpgradePreview, action: string): Pick<UpgradePage, 'approve'> {
  if (proposedValues !== undefined || timing.step !== 'AwaitingApproval' || timing.missing !== undefined) return {};
  const stopped = verdict.kind === 'Blocked';
  const note = stopped
    ? 'The blockers above would also stop the upgrade then. Resolve them before you approve.'
    : 'Approves exactly the chart of this page. Another archive of the same version needs a new approval.';
  return { approve: { action, version: to.version, digest: to.digest, primary: !stopped, note } };
}

/** Also for whoever may not approve: whoever merges the proposal decides. A pinned version changes in the file alone. */
function proposeOf(
  { timing, to, proposedValues }: UpgradePreview,
  action: string,
  { owner, body = new URLSearchParams() }: UpgradeOutcome,
): Pick<UpgradePage, 'propose'> {
  const isPinned = timing.step === 'Pinned';
  if (owner === undefined || proposedValues !== undefined || (timing.step !== 'AwaitingApproval' && !isPinned)) return {};
  const { propose: part } = proposePart(owner, body);
  return part === undefined ? {} : { propose: { action, version: to.version, digest: to.digest, part: { ...part, open: isPinned } } };
}

function chartFacts({ from, to, timing }: UpgradePreview): UpgradePage['chartFacts'] {
  const pairs: readonly (readonly [string, string | undefined])[] = [
    ['Name', to.name],
    ['Installed', from?.version],
    ['Version', to.version],
    ['App version', from?.appVersion === to.appVersion ? to.appVersion : `${from?.appVersion ?? 'none'} → ${to.appVersion ?? 'none'}`],
    ['Channel', timing.range],
    ['Policy', timing.policy],
    ['Digest', to.digest],
  ];
  return pairs.flatMap(([term, text]) => (text === undefined ? [] : [{ term, text }]));
}

function choicesOf({ availableVersions, to }: UpgradePreview): UpgradePage['choices'] {
  const versions = availableVersions.includes(to.version) ? availableVersions : [to.version, ...availableVersions];
  return versions.length < 2 ? [] : versions.map((version) => ({ version, selected: version === to.version }));
}
