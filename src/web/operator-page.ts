import { instanceKey, type OperatorInstance, placesOf } from '../domain/operator-instances.ts';
import { type LabelledCommand, operatorCommands } from '../domain/operator-commands.ts';
import { stateOf } from '../domain/operator-list.ts';
import type { OperatorProblem } from '../domain/operator-problems.ts';
import type { OperatorView } from '../domain/operator.ts';
import { type Page, pageByKey } from '../domain/page-by-key.ts';
import type { OperatorTree } from '../domain/tree.ts';
import { type Badge, operatorBadge } from './badges.ts';
import type { ConditionRow } from './conditions.ts';
import { deletionView, type DeletionView } from './operator-deletion.ts';
import { historyRows, type HistoryRow } from './operator-history.ts';
import { operatorConditions } from './operator-conditions.ts';
import { type Counts, countText, type CountText, displayNameOf } from './operators-page.ts';
import { missingSentence } from './message-page.ts';
import { appPath, environmentPath, instancePath, operatorPath } from './paths.ts';
import type { OperatorEvents, OperatorRights } from './ports.ts';
import { boundedTree, type BoundedTree } from './tree-view.ts';

export const OPERATOR_TABS = ['overview', 'resources', 'events', 'values', 'instances'] as const;
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
  /** The CatalogSource that keeps it; empty when nobody does. */
  readonly source: string;
  readonly tab: OperatorTab;
  readonly tabs: readonly { readonly label: string; readonly href: string; readonly current: boolean }[];
  readonly buttons: readonly StepButton[];
  /** Absent without the right, or while it is deleted. */
  readonly deleteHref?: string;
  /** Why there are no buttons; empty when there are. */
  readonly refused: string;
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
  readonly rights: OperatorRights;
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
};
const LIVE_TABS: readonly OperatorTab[] = ['overview', 'resources', 'events'];

export function operatorFrame({ operator, rights, tab, asked }: FrameInput): OperatorFrame {
  const { namespace, name } = operator;
  const page = operatorPath(operator);
  const deleting = operator.status === 'DELETING';
  return {
    namespace,
    name,
    displayName: displayNameOf(operator),
    status: operatorBadge(operator),
    created: operator.created,
    source: operator.source ?? '',
    tab,
    tabs: OPERATOR_TABS.map((one) => ({ label: LABELS[one], href: tabPath(operator, one), current: one === tab })),
    buttons: rights.patch !== undefined || deleting ? [] : stepButtons(operator),
    ...(rights.delete !== undefined || deleting ? {} : { deleteHref: `${page}/delete` }),
    refused: refusal(rights),
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
  const resume = { label: 'Resume', action: action('resume'), symbol: 'play', primary: true, help: 'Go on with it' };
  if (operator.suspended) return [resume];
  return [
    {
      label: 'Reconcile now',
      action: action('reconcile'),
      symbol: 'refresh',
      primary: true,
      help: 'Look at it now instead of when its interval is over',
    },
    {
      label: 'Force upgrade',
      action: action('force'),
      symbol: 'bolt',
      primary: false,
      help: 'Upgrade it now whatever its state: it forgets failures and waits for no window',
    },
    { label: 'Suspend', action: action('suspend'), symbol: 'pause', primary: false, help: 'Leave everything as it is until you resume it' },
  ];
}

function refusal({ patch, delete: remove }: OperatorRights): string {
  const sentences = [patch, remove].flatMap((right) => (right === undefined ? [] : [missingSentence(right)]));
  return sentences.length === 0 ? '' : `You may look at it, but not do everything with it. ${sentences.join(' ')}`;
}

const ASKED: Readonly<Record<string, string>> = {
  reconcile: 'It will be looked at in a moment. What comes of it appears here by itself.',
  force: 'It will be upgraded in a moment, whatever its state. What comes of it appears here by itself.',
  suspend: 'It is suspended: everything stays as it is until you resume it.',
  resume: 'It goes on. What comes of it appears here by itself.',
  delete: 'Its deletion has been asked for. What comes of it appears here by itself.',
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
  readonly crds: readonly CrdRow[];
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
  readonly because: readonly string[];
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
}

export function overviewTab({ operator, problems, counts }: OverviewReading): OverviewTab {
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
  const version = pending?.version ?? chart.availableVersion;
  if (version === undefined || operator.status === 'DELETING') return {};
  const sentence = pending === undefined ? 'It is outside of what the spec asks for.' : PENDING[pending.reason];
  const href = `${operatorPath(operator, 'upgrade')}?version=${encodeURIComponent(version)}`;
  return { upgrade: { version, sentence, opensAt: pending?.opensAt ?? '', href } };
}

const PENDING = {
  AwaitingApproval: 'It waits for somebody to approve it.',
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
  former: 'an earlier version of the chart, no longer in it',
  runtime: 'the operator while it runs',
};

function stateSentence(operator: OperatorView): string {
  const state = stateOf(operator);
  if (state === 'Suspended') return 'It is suspended: everything stays as it is until somebody resumes it.';
  return operator.message === '' && state === 'Ready' ? 'It is installed and works.' : operator.message;
}

function facts(pairs: readonly (readonly [string, string | undefined])[]): readonly Fact[] {
  return pairs.flatMap(([term, text]) => (text === undefined || text === '' ? [] : [{ term, text }]));
}

/** A view of `operators/tabs/resources`. */
export interface ResourcesTab extends BoundedTree {
  readonly namespace: string;
  readonly unreadable: readonly string[];
  /** Empty when its workloads can be seen. */
  readonly missing: string;
  readonly refreshHref: string;
}

export function resourcesTab(operator: OperatorView, tree: OperatorTree): ResourcesTab {
  return {
    ...boundedTree(tree.root),
    namespace: tree.namespace,
    unreadable: [...new Set(tree.unreadable)],
    missing: tree.missing === undefined ? '' : missingSentence(tree.missing),
    refreshHref: tabPath(operator, 'resources'),
  };
}

const MOST_EVENTS = 200;

/** A view of `operators/tabs/events`. */
export interface EventsTab {
  readonly events: readonly (OperatorEvents['events'][number] & { readonly warning: boolean })[];
  /** How many older ones are left out. */
  readonly more: number;
  readonly missing: readonly string[];
  readonly refreshHref: string;
}

export function eventsTab(operator: OperatorView, { events, missing }: OperatorEvents): EventsTab {
  return {
    events: events.slice(0, MOST_EVENTS).map((event) => ({ ...event, warning: event.type === 'Warning' })),
    more: Math.max(0, events.length - MOST_EVENTS),
    missing: missing.map(missingSentence),
    refreshHref: tabPath(operator, 'events'),
  };
}

/** A layer of so many values is open from the beginning. */
const MOST_OPEN = 20;

/** A view of `operators/tabs/values`. */
export interface ValuesTab {
  readonly layers: readonly { readonly origin: string; readonly paths: readonly string[]; readonly open: boolean }[];
}

/** The values by the layer that set them; of a chart with many values nobody reads the layer a thousand times. */
export function valuesTab({ values = [] }: OperatorView): ValuesTab {
  const layers = new Map<string, string[]>();
  for (const { path, origin } of values) layers.set(origin, [...(layers.get(origin) ?? []), path]);
  return { layers: [...layers].map(([origin, paths]) => ({ origin, paths, open: paths.length <= MOST_OPEN })) };
}

export const INSTANCES_A_PAGE = 100;

/** A view of `operators/tabs/instances`. */
export interface InstancesTab {
  readonly total: number;
  readonly places: readonly {
    readonly place: string;
    readonly href: string;
    readonly kind: string;
    readonly count: number;
    readonly onlyHref: string;
  }[];
  readonly rows: readonly InstanceRow[];
  /** The namespace that the list is narrowed to; empty for all. */
  readonly only: string;
  readonly allHref: string;
  readonly nextHref: string;
  readonly missing: readonly string[];
}

interface InstanceRow {
  readonly name: string;
  readonly href: string;
  readonly kind: string;
  readonly place: string;
  readonly created: string;
  readonly deletingSince: string;
  readonly finalizers: string;
}

export interface InstancesInput {
  readonly operator: OperatorView;
  readonly found: { readonly instances: readonly OperatorInstance[]; readonly missing: OperatorEvents['missing'] };
  readonly query: URLSearchParams;
}

export function instancesTab({ operator, found, query }: InstancesInput): InstancesTab {
  const only = query.get('namespace') ?? '';
  const after = query.get('after') ?? '';
  const wanted = only === '' ? found.instances : found.instances.filter(({ namespace }) => namespace === only);
  const page: Page<OperatorInstance> = pageByKey(wanted, instanceKey, { limit: INSTANCES_A_PAGE, ...(after === '' ? {} : { after }) });
  const href = (more: Readonly<Record<string, string>>): string =>
    `${operatorPath(operator)}?${new URLSearchParams({ tab: 'instances', ...more }).toString()}`;
  const narrowed = only === '' ? {} : { namespace: only };
  return {
    total: found.instances.length,
    places: placesOf(found.instances).map(({ kind, namespace = '', environment, count }) => ({
      place: placeName(namespace, environment),
      href: environment === undefined ? '' : environmentPath(environment),
      kind,
      count,
      onlyHref: namespace === '' ? '' : href({ namespace }),
    })),
    rows: page.items.map(instanceRow),
    only,
    allHref: href({}),
    nextHref: page.next === undefined ? '' : href({ ...narrowed, after: page.next }),
    missing: found.missing.map(missingSentence),
  };
}

function instanceRow({
  app,
  kind,
  namespace = '',
  environment,
  name,
  created,
  deletingSince = '',
  finalizers,
}: OperatorInstance): InstanceRow {
  return {
    name,
    href: environment === undefined ? '' : instancePath({ environment, app, name }),
    kind,
    place: placeName(namespace, environment),
    created,
    deletingSince,
    finalizers: finalizers.join(', '),
  };
}

function placeName(namespace: string, environment: string | undefined): string {
  if (namespace === '') return 'the whole cluster';
  return environment === undefined || environment === namespace ? namespace : `${environment} (${namespace})`;
}
