import type { SourceFault } from '../../domain/source/catalog-source.ts';
import { nextPollAt } from '../../domain/source/poll-schedule.ts';
import { RECEIVER_TYPES, type ReceiverType } from '../../domain/source/receiver.ts';
import { sourceCommands } from '../../domain/source/source-commands.ts';
import type { SourceView } from '../../domain/source/source-view.ts';
import type { SourcePermissions } from '../../operation/source/find-source.ts';
import { type Badge, sourceBadge } from '../page/badges.ts';
import { conditionRows, type ConditionRow } from '../page/conditions.ts';
import { missingSentence } from '../page/message-page.ts';
import { keepButton } from '../page/keep-routes.ts';
import { sourcePath } from '../page/paths.ts';
import { plural } from '../page/view-helpers.ts';
import { inventoryFilter } from './inventory-tab.ts';
import { type HistoryRow, historyRows } from './source-history.ts';
import { originAddress, shortRevision } from './sources-page.ts';

const SOURCE_TABS = ['overview', 'inventory'] as const;
export type SourceTab = (typeof SOURCE_TABS)[number];
const LABELS: Readonly<Record<SourceTab, string>> = { overview: 'Overview', inventory: 'Inventory' };

/** The tab that an address names; the first one when it names none. */
export function parseSourceTab(text: string | null): SourceTab {
  return SOURCE_TABS.find((tab) => tab === text) ?? 'overview';
}

interface Fact {
  readonly term: string;
  readonly text: string;
}

/** What stands around the tabs of a source. A view of `sources/show`. */
export interface SourceFrame {
  readonly name: string;
  /** Where it comes from, in a line. */
  readonly lead: string;
  readonly created: string;
  /** Empty where nobody is recorded. */
  readonly createdBy: string;
  readonly tab: SourceTab;
  readonly tabs: readonly { readonly label: string; readonly href: string; readonly current: boolean }[];
  readonly buttons: readonly SourceButton[];
  readonly previewHref: string;
  /** Absent without the permission, or while it is deleted. */
  readonly deleteHref?: string;
  /** What was asked for just now; empty when nothing was. */
  readonly asked: string;
  /** Why some actions are missing; empty when none is. */
  readonly rejected: string;
  readonly commands: readonly { readonly label: string; readonly text: string }[];
  readonly streamHref: string;
}

interface SourceButton {
  readonly label: string;
  readonly action: string;
  readonly symbol: string;
  readonly primary: boolean;
  readonly help: string;
}

interface FrameInput {
  readonly source: SourceView;
  readonly permissions: SourcePermissions;
  readonly tab: SourceTab;
  readonly query: URLSearchParams;
}

export function sourceFrame({ source, permissions, tab, query }: FrameInput): SourceFrame {
  const { name, origin } = source;
  const deleting = source.state === 'Deleting';
  return {
    name,
    previewHref: sourcePath(name, 'preview'),
    buttons: permissions.patch !== undefined ? [] : deleting ? [keepButton(sourcePath(name))] : buttonsOf(source),
    ...(permissions.delete !== undefined || deleting ? {} : { deleteHref: sourcePath(name, 'delete') }),
    asked: ASKED.get(query.get('asked') ?? '') ?? '',
    lead: origin.kind !== 'Folder' ? `${originAddress(origin)}, ${origin.ref}` : originAddress(origin),
    created: source.created,
    createdBy: source.createdBy ?? '',
    tab,
    tabs: SOURCE_TABS.map((one) => ({ label: LABELS[one], href: tabPath(name, one), current: one === tab })),
    rejected: rejection(permissions),
    commands: commandsOf(source),
    streamHref: `${sourcePath(name, 'stream')}?${new URLSearchParams({ ...inventoryFilter(query), tab }).toString()}`,
  };
}

function buttonsOf({ name, suspended }: SourceView): SourceButton[] {
  const resume = { label: 'Resume', action: sourcePath(name, 'resume'), symbol: 'play', primary: true, help: 'Resume syncing' };
  if (suspended) return [resume];
  return [
    {
      label: 'Sync now',
      action: sourcePath(name, 'sync'),
      symbol: 'refresh',
      primary: true,
      help: 'Sync now instead of after the interval',
    },
    {
      label: 'Suspend',
      action: sourcePath(name, 'suspend'),
      symbol: 'pause',
      primary: false,
      help: 'Read and apply nothing until you resume',
    },
  ];
}

const ASKED: ReadonlyMap<string, string> = new Map([
  ['sync', 'Sync requested. The result appears here.'],
  ['suspend', 'Suspended. Nothing is read or applied until you resume the source.'],
  ['resume', 'Resumed. The result appears here.'],
  ['approve', 'Approved. The controller removes the resources now.'],
  ['confirm', 'Confirmed. The controller reads the new origin now.'],
  ['keep', 'The resource stays, and no longer belongs to this source.'],
  ['delete', 'Deletion requested. The progress appears here.'],
  ['cancel-deletion', 'Keeping requested. The source is created again in a moment, with all that depends on it.'],
]);

function commandsOf({ name, suspended, awaitsApproval, awaitsConfirmation, prune, resources }: SourceView): SourceFrame['commands'] {
  const commands = sourceCommands(name);
  return [
    { label: 'Read it', text: commands.read },
    { label: 'Sync now', text: commands.sync },
    suspended ? { label: 'Resume it', text: commands.resume } : { label: 'Suspend it', text: commands.suspend },
    ...(awaitsConfirmation === undefined ? [] : [{ label: 'Confirm the new origin', text: commands.confirm(awaitsConfirmation) }]),
    ...(awaitsApproval === undefined ? [] : [{ label: 'Remove what is pending removal now', text: commands.approve(awaitsApproval) }]),
    { label: 'Delete it', text: commands.delete(prune && resources > 0 ? 'Deleted' : 'Kept') },
  ];
}

function tabPath(name: string, tab: SourceTab): string {
  return tab === 'overview' ? sourcePath(name) : `${sourcePath(name)}?tab=${tab}`;
}

function rejection({ patch, delete: remove }: SourcePermissions): string {
  const sentences = [patch, remove].flatMap((permission) => (permission === undefined ? [] : [missingSentence(permission)]));
  return sentences.length === 0 ? '' : `You may read this source, but some actions need permissions. ${sentences.join(' ')}`;
}

/** A view of `sources/tabs/overview`. */
export interface SourceOverview {
  readonly state: Badge;
  readonly sentence: string;
  readonly advice: string;
  readonly working: boolean;
  readonly refreshHref: string;
  /** Another origin, which has to be confirmed; absent without the permission to patch the source, and when there is none. */
  readonly confirm?: { readonly action: string; readonly origin: string };
  /** Resources without a document; absent when there is none. */
  readonly removals?: RemovalsView;
  readonly faults: readonly FaultRow[];
  readonly inventoryHref: string;
  readonly resources: number;
  readonly originFacts: readonly Fact[];
  readonly revisionFacts: readonly Fact[];
  readonly commit?: { readonly message: string; readonly time: string };
  /** RFC 3339; empty when nothing was applied. */
  readonly applied: string;
  readonly settings: readonly Fact[];
  /** RFC 3339: when the source is asked for a new revision next; empty for a folder, and while something else happens first. */
  readonly nextCheck: string;
  /** Absent for a folder, which is watched. */
  readonly webhook?: WebhookView;
  readonly conditions: readonly ConditionRow[];
  readonly history: readonly HistoryRow[];
}

interface WebhookView {
  readonly address: string;
  /** Empty while the source accepts none. */
  readonly type: string;
  readonly secret: string;
  /** Where to add it at the forge, for each kind or for the one of the source. */
  readonly places: readonly { readonly type: string; readonly where: string; readonly token: string }[];
  /** What makes the source accept webhooks; empty once it does. */
  readonly commands: readonly { readonly label: string; readonly text: string }[];
}

/** What has lost its document, and what can be done about it. */
interface RemovalsView {
  readonly sentence: string;
  readonly rows: readonly {
    readonly resource: string;
    readonly file: string;
    /** What else is lost with it; empty when nothing is. */
    readonly loss: string;
    /** RFC 3339; empty when the removal waits for an approval. */
    readonly removeAt: string;
    readonly keepCommand: string;
  }[];
  /** `and 3 more resources`; empty when all are listed. */
  readonly more: string;
  /** Absent without the permission to patch the source. */
  readonly act?: { readonly keep: string; readonly approve: string; readonly revision: string; readonly label: string };
}

/** A row of `parts/source-faults`. */
export interface FaultRow {
  readonly place: string;
  readonly resource: string;
  readonly message: string;
}

interface OverviewContext {
  /** Where forges reach this server. */
  readonly publicUrl: string;
  readonly now: number;
  readonly mayPatch: boolean;
}

export function sourceOverview(source: SourceView, { publicUrl, now, mayPatch }: OverviewContext): SourceOverview {
  const { name, state, commit } = source;
  return {
    state: sourceBadge(state),
    sentence: source.message,
    advice: source.advice,
    working: state === 'Syncing' || state === 'Deleting',
    refreshHref: sourcePath(name),
    ...(source.awaitsConfirmation === undefined || !mayPatch
      ? {}
      : { confirm: { action: sourcePath(name, 'confirm'), origin: source.awaitsConfirmation } }),
    ...removalsOf(source, mayPatch),
    faults: source.faults.map(faultRow),
    inventoryHref: tabPath(name, 'inventory'),
    resources: source.resources,
    originFacts: originFacts(source),
    revisionFacts: facts([
      ['Read last', source.revision === undefined ? 'nothing yet' : shortRevision(source.revision)],
      ['Live in part', source.partialRevision === undefined ? '' : shortRevision(source.partialRevision)],
      ['Applied last', source.lastAppliedRevision === undefined ? 'nothing yet' : shortRevision(source.lastAppliedRevision)],
      ['Author', commit?.author],
      ['Signature', commit === undefined ? '' : (commit.signedBy ?? 'not verified')],
    ]),
    ...(commit === undefined ? {} : { commit: { message: commit.message, time: commit.time } }),
    applied: source.lastAppliedTime ?? '',
    settings: settingsOf(source),
    nextCheck: nextCheckOf(source, now),
    ...(source.origin.kind === 'Folder' ? {} : { webhook: webhookOf(source, publicUrl) }),
    conditions: conditionRows(source.conditions),
    history: historyRows(source, mayPatch),
  };
}

function removalsOf(
  { name, awaitsApproval: revision, pendingRemovals, removals, prune }: SourceView,
  mayPatch: boolean,
): Pick<SourceOverview, 'removals'> {
  if (revision === undefined) return {};
  const commands = sourceCommands(name);
  const unapproved = pendingRemovals.filter(({ removeAt }) => removeAt === undefined).length;
  const label = `Remove ${plural(removals, 'resource', 'resources')} now`;
  const act = { keep: sourcePath(name, 'keep'), approve: sourcePath(name, 'approve'), revision, label };
  return {
    removals: {
      sentence: `${plural(removals, 'resource', 'resources')} no longer ${removals === 1 ? 'has' : 'have'} a document. Restore the documents to undo the removal.${
        unapproved > 0 ? ' Resources that need an approval stay until an admin approves.' : ''
      }`,
      rows: pendingRemovals.map(({ resource, file, loss = '', removeAt = '' }) => ({
        resource,
        file,
        loss,
        removeAt,
        keepCommand: commands.keep(resource),
      })),
      more: removals > pendingRemovals.length ? `and ${plural(removals - pendingRemovals.length, 'more resource', 'more resources')}` : '',
      ...(mayPatch && prune ? { act } : {}),
    },
  };
}

/** A fault with its place: file, line and column. */
export function faultRow({ file, line, column, resource, message }: SourceFault): FaultRow {
  const place = [file === '' ? 'the source as a whole' : file, ...(line > 0 ? [line] : []), ...(line > 0 && column > 0 ? [column] : [])];
  return { place: place.join(':'), resource: resource ?? '', message };
}

function originFacts({ origin }: SourceView): readonly Fact[] {
  if (origin.kind === 'Folder') return [{ term: 'Folder', text: origin.path }];
  return facts([
    ['Repository', origin.url],
    ['Ref', origin.ref],
    ['Folder', origin.path === '' ? (origin.kind === 'Git' ? 'the whole repository' : 'the whole artifact') : origin.path],
    ['Credentials', origin.secret === undefined ? 'none' : `Secret chandlery-system/${origin.secret}`],
  ]);
}

/** A source that failed is looked at again every few seconds; one that waits for a person or for others is not polled. */
function nextCheckOf({ name, origin, state, intervalSeconds }: SourceView, now: number): string {
  if (origin.kind === 'Folder' || state !== 'Synced') return '';
  return new Date(nextPollAt(name, { interval: intervalSeconds * 1_000, now })).toISOString();
}

const HOOK_PLACES: Readonly<Record<ReceiverType, { readonly where: string; readonly token: string }>> = {
  GitHub: { where: 'Settings → Webhooks, content type application/json, the push event', token: 'Secret' },
  GitLab: { where: 'Settings → Webhooks, push and tag push events', token: 'Secret token' },
  Gitea: { where: 'Settings → Webhooks, also of Forgejo, POST with application/json', token: 'Secret' },
  Bitbucket: { where: 'Repository settings → Webhooks, the trigger Repository push', token: 'Secret' },
  Generic: { where: 'a pipeline or registry, with the header X-Signature', token: 'key of the HMAC-SHA256 of the body' },
};

function webhookOf({ name, receiver }: SourceView, publicUrl: string): WebhookView {
  const types = receiver === undefined ? RECEIVER_TYPES : [receiver.type];
  return {
    address: `${publicUrl}/hooks/${encodeURIComponent(name)}`,
    type: receiver?.type ?? '',
    secret: receiver?.secret ?? '',
    places: types.map((type) => ({ type, ...HOOK_PLACES[type] })),
    commands: receiver === undefined ? sourceCommands(name).receive.map(([label, text]) => ({ label, text })) : [],
  };
}

/** What the spec says, in plain words. */
function settingsOf(source: SourceView): readonly Fact[] {
  const { origin, intervalSeconds, selfHealIntervalSeconds, healthTimeoutSeconds, prune, suspended } = source;
  const every = durationWords(intervalSeconds);
  return facts([
    ...scopeFacts(source),
    ['Checked', origin.kind === 'Folder' ? `on every change, and every ${every}` : `every ${every}, and on request`],
    ['Self-healing', `applied again every ${durationWords(selfHealIntervalSeconds)}`],
    [
      'Health',
      healthTimeoutSeconds === undefined ? '' : `waits at most ${durationWords(healthTimeoutSeconds)} until everything is healthy`,
    ],
    ['Removed documents', prune ? 'their resources are deleted' : 'their resources stay'],
    ['Suspended', suspended ? 'yes: nothing is read or applied' : ''],
  ]);
}

/** What the source may hold, and with whose permissions. */
function scopeFacts({
  allowedKinds,
  mode,
  namespaces,
  serviceAccount,
  owner,
  dependsOn,
}: SourceView): readonly (readonly [string, string])[] {
  return [
    ['Allowed kinds', allowedKinds === undefined ? 'Operators, AppDefinitions and Environments' : LIST.format(allowedKinds.map(kindWords))],
    [
      'Scope',
      mode === 'Cluster' ? 'the whole cluster' : `only the namespace${namespaces.length === 1 ? '' : 's'} ${LIST.format(namespaces)}`,
    ],
    ['Permissions', permissionWords(serviceAccount)],
    ['Owner', owner === undefined ? 'no team' : `the team ${owner}`],
    ['Depends on', dependsOn.length === 0 ? 'no other source' : LIST.format(dependsOn)],
  ];
}

const LIST = new Intl.ListFormat('en-GB');

function kindWords({ group, kind }: { readonly group: string; readonly kind: string }): string {
  if (kind === '*') return group === '*' ? 'every kind' : `every kind of ${group === '' ? 'the core API group' : group}`;
  return group === '*' ? `${kind} of every group` : group === '' ? kind : `${kind} (${group})`;
}

/** With whose permissions a source is applied. */
export function permissionWords(serviceAccount: SourceView['serviceAccount']): string {
  return serviceAccount === undefined
    ? 'those of the controller'
    : `those of the ServiceAccount ${serviceAccount.namespace}/${serviceAccount.name}`;
}

/** `10 minutes`, `1 hour 30 minutes`. */
function durationWords(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), 'hour'],
    [Math.floor((seconds % 3600) / 60), 'minute'],
    [Math.floor(seconds % 60), 'second'],
  ] as const;
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}${count === 1 ? '' : 's'}`])).join(' ');
}

function facts(pairs: readonly (readonly [string, string | undefined])[]): readonly Fact[] {
  return pairs.flatMap(([term, text]) => (text === undefined || text === '' ? [] : [{ term, text }]));
}
