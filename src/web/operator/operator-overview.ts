import type { DraftKind } from '../../domain/catalog/draft-kinds.ts';
import { isNewer } from '../../domain/chart/chart-version.ts';
import { type Condition, findCondition, PENDING_REMOVAL } from '../../domain/kubernetes/condition.ts';
import { stateOf } from '../../domain/operator/operator-list.ts';
import type { OperatorProblem } from '../../domain/operator/operator-problems.ts';
import type { OperatorView } from '../../domain/operator/operator.ts';
import { deletionView, type DeletionView } from './operator-deletion.ts';
import { countText, type Counts, type CountText } from './operators-page.ts';
import { operatorBadge, type Badge } from '../page/badges.ts';
import { conditionRows, type ConditionRow } from '../page/conditions.ts';
import { appPath, draftsPath, operatorPath } from '../page/paths.ts';

/** A row about one revision of the release, the newest first. */
interface HistoryRow {
  readonly revision: number;
  readonly chart: string;
  readonly version: string;
  readonly appVersion: string;
  /** RFC 3339. */
  readonly time: string;
  readonly result: Badge;
  /** What is known beyond the result; empty when nothing is. */
  readonly notes: readonly string[];
}

/** A view of `operators/tabs/overview`. */
export interface OverviewTab {
  readonly status: Badge;
  readonly sentence: string;
  readonly working: boolean;
  readonly refreshHref: string;
  /** A newer version, and what it waits for; absent when there is none. */
  readonly upgrade?: UpgradeNotice;
  readonly problems: readonly ProblemRow[];
  readonly deletion?: DeletionView;
  readonly conditions: readonly ConditionRow[];
  /** Why there are none. */
  readonly noKinds: string;
  readonly crds: readonly CrdRow[];
  readonly drafts: readonly { readonly name: string; readonly kind: string }[];
  readonly draftsHref: string;
  readonly history: readonly HistoryRow[];
  readonly chartFacts: readonly Fact[];
  readonly releaseFacts: readonly Fact[];
}

export interface UpgradeNotice {
  readonly version: string;
  readonly sentence: string;
  /** RFC 3339; empty when no time is known. */
  readonly opensAt: string;
  readonly href: string;
}

export interface ProblemRow {
  readonly kind: string;
  readonly subject: string;
  readonly message: string;
  readonly causes: readonly string[];
}

interface CrdRow {
  readonly name: string;
  readonly kind: string;
  readonly origin: string;
  readonly established: boolean;
  readonly href: string;
  readonly instances: CountText;
}

interface Fact {
  readonly term: string;
  readonly text: string;
}

export interface OverviewReading {
  readonly operator: OperatorView;
  readonly problems: readonly OperatorProblem[];
  readonly counts: Counts;
  /** Those that probably belong to it. */
  readonly drafts: readonly DraftKind[];
}

/** What the conditions of an Operator tell, each in one sentence. */
const MEANINGS: Readonly<Record<string, string>> = {
  Ready: 'The release matches the spec and is healthy.',
  Fetched: 'The chart can be fetched.',
  Verified: 'The chart has a trusted signature.',
  Uplifted: 'Deprecated APIs of the chart are converted.',
  Released: 'The Helm release matches the spec.',
  CRDsEstablished: 'The CRDs are established.',
  Healthy: 'The workloads are ready.',
  PendingRemoval: 'The catalogue source no longer has a document of the Operator.',
  Tested: 'The tests of the chart have passed.',
  Drifted: 'Live objects differ from the release.',
  Deletable: 'Nothing blocks the deletion.',
  Reconciling: 'An action is in progress.',
  Stalled: 'The controller waits for a person. It retries after the interval, or on request.',
};

export function overviewTab({ operator, problems, counts, drafts }: OverviewReading): OverviewTab {
  const { chart, release } = operator;
  return {
    status: operatorBadge(operator),
    sentence: stateSentence(operator),
    working: operator.status === 'INSTALLING' || operator.status === 'DELETING',
    refreshHref: operatorPath(operator),
    ...upgradeOf(operator),
    // What a deletion waits for has a panel of its own.
    problems: problems
      .filter(({ kind }) => kind !== 'Deletion' || operator.deletion === undefined)
      .map((problem) => ({ ...problem, kind: PROBLEM_KINDS[problem.kind] })),
    ...(operator.deletion === undefined ? {} : { deletion: deletionView(operator.deletion) }),
    conditions: operatorConditions(operator.conditions),
    crds: operator.crds.map((crd) => ({
      ...crd,
      origin: ORIGINS[crd.origin] ?? crd.origin,
      href: appPath(crd.name),
      instances: countText([crd], counts),
    })),
    noKinds: operator.conditions.find(({ reason }) => reason === 'NoCRDs')?.message ?? 'No CRDs found yet',
    drafts: drafts.map(({ name, kind }) => ({ name, kind })),
    draftsHref: draftsPath(operator),
    history: historyRows(operator),
    chartFacts: facts([
      ['Address', chart.address],
      ['Name', chart.name],
      ['Version', chart.version],
      ['Available version', chart.availableVersion],
      ['App version', chart.appVersion],
      ['Digest', chart.digest],
    ]),
    releaseFacts: facts([
      ['Name', release?.name],
      ['Namespace', release?.namespace],
      ['Revision', release === undefined ? undefined : String(release.revision)],
      ['State', release?.status],
    ]),
  };
}

function upgradeOf(operator: OperatorView): Pick<OverviewTab, 'upgrade'> {
  const { chart, pendingUpgrade: pending } = operator;
  const { availableVersion: offered } = chart;
  const version = pending?.version ?? (offered !== undefined && isNewer(offered, chart.version ?? '0.0.0') ? offered : undefined);
  if (version === undefined || operator.status === 'DELETING') return {};
  const sentence = pending === undefined ? 'It is outside the channel of the spec.' : PENDING[pending.reason];
  const href = `${operatorPath(operator, 'upgrade')}?version=${encodeURIComponent(version)}`;
  return { upgrade: { version, sentence, opensAt: pending?.opensAt ?? '', href } };
}

const PENDING = {
  AwaitingApproval: 'It awaits approval.',
  OutsideWindow: 'It waits for the maintenance window.',
} as const;

const PROBLEM_KINDS: Readonly<Record<OperatorProblem['kind'], string>> = {
  Condition: 'Condition',
  Workload: 'Resource',
  Fault: 'Catalogue file',
  Deletion: 'Deletion',
};

const ORIGINS: Readonly<Record<string, string>> = {
  crds: 'the folder crds/',
  template: 'a template',
  hook: 'a Helm 2 hook',
  former: 'an earlier version of the chart',
  runtime: 'the operator at run time',
};

function stateSentence(operator: OperatorView): string {
  const state = stateOf(operator);
  if (state === 'Suspended') return 'Suspended: the controller does not reconcile this Operator until somebody resumes it.';
  if (operator.message !== '' || state !== 'Ready') return operator.message;
  const pending = findCondition(operator.conditions, PENDING_REMOVAL);
  return pending?.status === 'True' ? `Installed and healthy, and pending removal: ${pending.message}` : 'Installed and healthy.';
}

function facts(pairs: readonly (readonly [string, string | undefined])[]): readonly Fact[] {
  return pairs.flatMap(([term, text]) => (text === undefined || text === '' ? [] : [{ term, text }]));
}

function operatorConditions(conditions: readonly Condition[]): readonly ConditionRow[] {
  return conditionRows(conditions).map((row) => {
    const meaning = MEANINGS[row.type];
    return meaning === undefined ? row : { ...row, meaning };
  });
}

function historyRows({ history }: Pick<OperatorView, 'history'>): readonly HistoryRow[] {
  return history
    .map(({ revision, chart, version, appVersion = '', time, status, healthy, tested, rolledBackTo }) => ({
      revision,
      chart,
      version,
      appVersion,
      time,
      result: resultBadge(status),
      notes: [
        ...noteOf(healthy, ['was healthy', 'was not healthy']),
        ...noteOf(tested, ['tests passed', 'tests failed']),
        ...(rolledBackTo === undefined ? [] : [`replaced by revision ${rolledBackTo}`]),
      ],
    }))
    .toSorted((a, b) => b.revision - a.revision);
}

function resultBadge(status: string): Badge {
  if (status === 'deployed') return { label: 'Deployed', tone: 'good', symbol: 'check' };
  if (status === 'failed') return { label: 'Failed', tone: 'bad', symbol: 'bad' };
  if (status === 'rolled-back') return { label: 'Rolled back', tone: 'warn', symbol: 'warn' };
  return { label: status === 'superseded' ? 'Superseded' : status, tone: 'idle' };
}

function noteOf(flag: boolean | undefined, [yes, no]: readonly [string, string]): string[] {
  if (flag === undefined) return [];
  return [flag ? yes : no];
}
