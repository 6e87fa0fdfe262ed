import { ruleText } from '../../domain/app-definition/chart-requirements.ts';
import type { AppDefinitionState, AppDefinitionView, AppRevisionView } from '../../domain/app-definition/app-definition-view.ts';
import type { AppDefinitionDetails } from '../../operation/app-definition/app-definitions.ts';
import type { RolloutResult } from '../../domain/app-definition/rollout.ts';
import type { Badge } from '../page/badges.ts';
import { conditionRows, type ConditionRow } from '../page/conditions.ts';
import { keepButton } from '../page/keep-routes.ts';
import { renderMarkdown } from '../page/markdown.ts';
import { missingSentence } from '../page/message-page.ts';
import { appDefinitionPath, appPath, instancePath } from '../page/paths.ts';
import type { SafeHtml } from '../page/safe-html.ts';

const BADGES: Readonly<Record<AppDefinitionState, Badge>> = {
  Ready: { label: 'Ready', tone: 'good', symbol: 'check' },
  Reconciling: { label: 'Reconciling', tone: 'busy', symbol: 'busy' },
  Suspended: { label: 'Suspended', tone: 'idle', symbol: 'pause' },
  Deleting: { label: 'Deleting', tone: 'warn', symbol: 'trash' },
  Failed: { label: 'Failed', tone: 'bad', symbol: 'bad' },
};

/** A view of `app-definitions/index`. */
export interface AppDefinitionsPage {
  readonly rows: readonly DefinitionRow[];
  readonly resultLine: string;
  /** Empty without the permission. */
  readonly newHref: string;
}

interface DefinitionRow {
  readonly href: string;
  readonly name: string;
  readonly displayName: string;
  readonly state: Badge;
  readonly kind: string;
  readonly chart: string;
  readonly version: string;
  /** A newer version on offer; empty when there is none. */
  readonly available: string;
  /** Empty while they are not counted. */
  readonly instances: string;
  readonly message: string;
}

const SHOWN_MESSAGE = 180;

export function appDefinitionsPage(definitions: readonly AppDefinitionView[], newHref: string): AppDefinitionsPage {
  const total = definitions.length;
  return { rows: definitions.map(rowOf), resultLine: total === 1 ? '1 app definition' : `${total} app definitions`, newHref };
}

function rowOf({ name, displayName, state, names, published, chart, instances, message }: AppDefinitionView): DefinitionRow {
  return {
    href: appDefinitionPath(name),
    name,
    displayName,
    state: BADGES[state],
    kind: names?.kind ?? published.join(', '),
    chart: chart.name ?? (chart.address === '' ? 'none' : chart.address),
    version: chart.version ?? '',
    available: chart.availableVersion ?? '',
    instances: instances === undefined ? '' : String(instances),
    message: state === 'Ready' ? '' : message.slice(0, SHOWN_MESSAGE),
  };
}

/** A view of `app-definitions/show`. */
export interface AppDefinitionPage {
  readonly name: string;
  readonly displayName: string;
  readonly state: Badge;
  readonly message: string;
  /** The page of the App; empty before it exists. */
  readonly appHref: string;
  /** Cancels its deletion; absent while it is not being deleted. */
  readonly keep?: ReturnType<typeof keepButton>;
  readonly facts: readonly { readonly term: string; readonly text: string }[];
  readonly conditions: readonly ConditionRow[];
  readonly revisions: readonly (AppRevisionView & { readonly current: boolean })[];
  readonly instances: readonly InstanceRow[];
  /** Whether the rows have a result of the roll-out. */
  readonly isRolling: boolean;
  /** Why some instances are not in the list. */
  readonly unlisted: readonly string[];
  readonly more: number;
  readonly readme?: SafeHtml;
  readonly commands: readonly { readonly label: string; readonly text: string }[];
}

interface InstanceRow {
  readonly name: string;
  readonly href: string;
  readonly place: string;
  readonly tier: string;
  readonly version: string;
  readonly result?: Badge;
  readonly message: string;
  readonly created: string;
}

const RESULTS: Readonly<Record<RolloutResult, Omit<Badge, 'label'>>> = {
  Updated: { tone: 'good', symbol: 'check' },
  Upgrading: { tone: 'busy', symbol: 'busy' },
  Pending: { tone: 'idle', symbol: 'pause' },
  Failed: { tone: 'bad', symbol: 'bad' },
  Pinned: { tone: 'idle', symbol: 'lock' },
  Skipped: { tone: 'idle', symbol: 'missing' },
};

const SHOWN_INSTANCES = 100;

export function appDefinitionPage(definition: AppDefinitionDetails): AppDefinitionPage {
  // Of several published kinds, none is the app.
  const [app] = definition.crd === undefined && definition.published.length === 1 ? definition.published : [definition.crd];
  const { name, displayName, state, message, conditions, revisions, revision, rollout, placed, missing, unavailable, readme } = definition;
  return {
    name,
    displayName,
    state: BADGES[state],
    message,
    appHref: app === undefined ? '' : appPath(app),
    ...(state === 'Deleting' ? { keep: keepButton(appDefinitionPath(name)) } : {}),
    facts: factsOf(definition),
    conditions: conditionRows(conditions),
    revisions: revisions.map((one) => ({ ...one, current: one.name === revision })),
    instances: instanceRows(definition).slice(0, SHOWN_INSTANCES),
    isRolling: rollout !== undefined,
    unlisted: [...missing.map(missingSentence), ...unavailable.map(({ kind, message: why }) => `${kind}: ${why}`)],
    more: Math.max(0, placed.length - SHOWN_INSTANCES),
    ...(readme.trim() === '' ? {} : { readme: renderMarkdown(readme) }),
    commands: [
      { label: 'Read it', text: `kubectl get appdefinition ${name} --output yaml` },
      { label: 'Wait until it is ready', text: `kubectl wait appdefinition/${name} --for condition=Ready --timeout 5m` },
      { label: 'Delete it', text: `kubectl delete appdefinition ${name}` },
    ],
  };
}

/** In the order of the roll-out, what needs somebody first. */
function instanceRows({ placed, versions, rollout }: AppDefinitionDetails): InstanceRow[] {
  const known = new Map(versions.map((one, index) => [`${one.namespace}/${one.name}`, { ...one, index }]));
  const rows = placed.map(({ name, app, environment, namespace = '', created }) => {
    const { tier = '', version = '', result, message = '', index = versions.length } = known.get(`${namespace}/${name}`) ?? {};
    const shown = rollout === undefined || result === undefined ? {} : { result: { label: result, ...RESULTS[result] }, message };
    const href = environment === undefined ? '' : instancePath({ environment, app, name });
    const row = { name, href, place: environment ?? namespace, tier, version, message: '', created, ...shown };
    return { row, rank: result === 'Failed' ? -1 : index };
  });
  return rows.sort((a, b) => a.rank - b.rank).map(({ row }) => row);
}

function factsOf({
  chart,
  names,
  crd,
  published,
  namespaceMode,
  updatePolicy,
  scale,
  rollout,
  expiry,
  deletionPolicy,
  allowedResources,
  permissions,
  suspended,
}: AppDefinitionDetails): AppDefinitionPage['facts'] {
  const allowed = allowedResources.map(({ group, kind }) => (group === '' ? kind : `${kind} (${group})`)).join(', ');
  const isOfChart = chart.address !== '';
  const newer = chart.availableVersion === undefined ? '' : `, ${chart.availableVersion} is available`;
  return [
    { term: 'Chart', text: chart.name ?? '' },
    { term: 'Repository', text: chart.address },
    { term: 'Version', text: chart.version === undefined ? '' : `${chart.version}${newer}` },
    { term: 'App version', text: chart.appVersion ?? '' },
    { term: 'Digest', text: chart.digest ?? '' },
    { term: 'Kind', text: names?.kind ?? '' },
    { term: 'CRD', text: crd ?? '' },
    { term: 'Published CRDs', text: published.join(', ') },
    { term: 'Namespaces of instances', text: isOfChart ? NAMESPACES[namespaceMode] : '' },
    { term: 'Update policy', text: isOfChart ? updatePolicy : '' },
    { term: 'Replica field', text: scale?.specReplicasPath ?? '' },
    { term: 'Roll-out', text: rollout === undefined ? '' : rolloutText(rollout) },
    { term: 'Expiry of instances', text: expiry === undefined ? '' : expiryText(expiry) },
    { term: 'Deletion policy', text: isOfChart ? deletionPolicy : '' },
    { term: 'Allowed outside of the namespace', text: isOfChart ? allowed || 'nothing' : '' },
    { term: 'Permissions beyond the deployer', text: permissions.map(ruleText).join('; ') },
    { term: 'Suspended', text: suspended ? 'Yes' : '' },
  ].filter(({ text }) => text !== '');
}

function expiryText({ after, warnBefore = '', gracePeriod = '' }: NonNullable<AppDefinitionView['expiry']>): string {
  const end = after === undefined ? 'At spec.expires' : `${after} after creation, or earlier at spec.expires`;
  return `${end}; warning ${warnBefore} before, deletion ${gracePeriod} after`;
}

const NAMESPACES: Readonly<Record<AppDefinitionView['namespaceMode'], string>> = {
  Shared: 'Shared: that of the environment',
  Dedicated: 'Dedicated: one for each instance',
};

function rolloutText({ version, wave, ...counts }: NonNullable<AppDefinitionDetails['rollout']>): string {
  const { updated, upgrading, pending, failed, pinned, skipped } = counts;
  const parts = Object.entries({ updated, upgrading, pending, failed, pinned, skipped }).filter(([, count]) => count > 0);
  const words = parts.map(([word, count]) => `${count} ${word}`).join(', ');
  return `${version}${wave === undefined ? '' : ` in tier ${wave}`}: ${words === '' ? 'no instances' : words}`;
}
