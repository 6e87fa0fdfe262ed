import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { HealthStatus } from '../../domain/health/health.ts';
import type { ResourceAction } from '../../domain/resource/resource-actions.ts';
import type { RelatedResource } from '../../domain/tree/related-resources.ts';
import type { ResourceAddress } from '../../operation/resource/find-resource.ts';
import type { RelatedView, ResourceView } from '../../operation/resource/show-resource.ts';
import { managerOf } from '../environment/resources-page.ts';
import { type Badge, DELETING, healthBadge } from '../page/badges.ts';
import { type ConditionRow, conditionRows } from '../page/conditions.ts';
import { missingSentence } from '../page/message-page.ts';
import { environmentResourcesPath, hrefWith, instancePath, resourcePath } from '../page/paths.ts';
import { relationWords } from '../page/tree-view.ts';
import { yamlText } from '../page/yaml-text.ts';

interface RelatedRow {
  readonly kind: string;
  readonly name: string;
  /** Empty for what has no page here. */
  readonly href: string;
  readonly words: string;
  readonly path: string;
  readonly state?: Badge;
}

/** What changes while somebody looks: the fragment that the stream sends again. A view of `environments/resource/live`. */
export interface ResourceLive {
  /** Absent when its kind has none. */
  readonly health?: Badge;
  readonly sentence: string;
  readonly facts: readonly { readonly label: string; readonly text: string; readonly time: string }[];
  readonly containers: readonly (Omit<ResourceView['containers'][number], 'type'> & {
    readonly type: string;
    readonly stateBadge?: Badge;
  })[];
  readonly runs: boolean;
  readonly conditions: readonly ConditionRow[];
  readonly events: readonly (ResourceView['events'][number] & { readonly warning: boolean })[];
  readonly relations: readonly { readonly title: string; readonly rows: readonly RelatedRow[] }[];
  readonly missing: readonly string[];
  readonly unavailable: ResourceView['unavailable'];
}

/** A view of `environments/resource/show`. */
export interface ResourcePage {
  readonly live: ResourceLive;
  readonly streamHref: string;
  /** Where its page leads when it is deleted. */
  readonly goneHref: string;
  readonly name: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly created: string;
  /** Empty where nobody is recorded. */
  readonly createdBy: string;
  readonly environment: { readonly displayName: string; readonly namespace: string };
  /** The namespace that is dedicated to an instance; empty in that of the environment. */
  readonly ownNamespace: string;
  readonly owner?: { readonly kind: string; readonly name: string; readonly href: string };
  readonly manager: string;
  /** The page of the instance that it is. */
  readonly instanceHref: string;
  /** What was done just now. */
  readonly done: string;
  readonly actions: readonly { readonly label: string; readonly href: string; readonly isDanger: boolean; readonly missing: string }[];
  readonly logsHref: string;
  readonly refreshHref: string;
  readonly jsonHref: string;
  readonly isSecret: boolean;
  readonly masked: number;
  readonly yaml: string;
  readonly managers: readonly (Omit<ResourceView['managers'][number], 'fields'> & {
    readonly fields: readonly string[];
    readonly count: number;
  })[];
  readonly commands: readonly { readonly label: string; readonly text: string }[];
}

export const ACTION_LABELS: Readonly<Record<ResourceAction, string>> = {
  restart: 'Restart',
  scale: 'Scale',
  run: 'Run now',
  suspend: 'Suspend',
  resume: 'Resume',
  evict: 'Delete pod',
};

const DONE: Readonly<Record<ResourceAction, string>> = {
  restart: 'The restart has begun: new pods replace the old ones.',
  scale: 'The number of replicas is set.',
  run: 'The run is requested. Its Job appears among the owned resources; an event says if it could not be created.',
  suspend: 'The CronJob is suspended.',
  resume: 'The CronJob is resumed.',
  evict: 'The pod is evicted.',
};

const TITLES: readonly (readonly [RelatedResource['direction'], string])[] = [
  ['Owner', 'Owners'],
  ['Owned', 'Owned resources'],
  ['References', 'References'],
  ['ReferencedBy', 'Referenced by'],
];

/** @param done the action that was carried out just now, as the address has it. */
export function resourcePage(view: ResourceView, environment: EnvironmentView, done: string): ResourcePage {
  const address = addressOfView(view, environment);
  const { owner, instance } = view;
  const instanceHref = instance === undefined ? '' : instancePath({ environment: environment.name, ...instance });
  return {
    live: resourceLive(view, environment.name),
    streamHref: resourcePath(environment.name, address, 'stream'),
    goneHref: siblingsPath(address),
    name: view.name,
    kind: view.kind,
    apiVersion: view.apiVersion,
    created: view.created,
    createdBy: view.createdBy ?? '',
    environment: { displayName: environment.displayName === '' ? environment.name : environment.displayName, namespace: view.namespace },
    ...(owner === undefined ? {} : { owner: { ...owner, href: instanceHref || ownerHref(view, address) } }),
    ownNamespace: view.dedicatedTo === undefined ? '' : view.namespace,
    manager: managerOf(view),
    instanceHref: owner === undefined ? instanceHref : '',
    done: Object.hasOwn(DONE, done) ? DONE[done as ResourceAction] : '',
    actions: actionRows(view, address),
    logsHref: view.hasLogs ? logsHref(view, address) : '',
    refreshHref: resourcePath(address.environment, address),
    jsonHref: `/api/v1${resourcePath(address.environment, address)}`,
    isSecret: view.kind === 'Secret' && view.apiVersion === 'v1',
    masked: view.masked.length,
    yaml: yamlText(view.object),
    managers: view.managers.map((one) => ({ ...one, count: one.fields.length + one.more })),
    commands: commandsOf(view),
  };
}

/** The address of a resource that is shown. */
export function addressOfView({ resource, name, dedicatedTo }: ResourceView, environment: Pick<EnvironmentView, 'name'>): ResourceAddress {
  return { environment: environment.name, resource, name, ...(dedicatedTo === undefined ? {} : { dedicatedTo }) };
}

/** The list of the resources around one. */
export function siblingsPath({ environment, dedicatedTo }: ResourceAddress): string {
  return dedicatedTo === undefined ? environmentResourcesPath(environment) : `${dedicatedPath(environment, dedicatedTo)}/resources`;
}

/** The page of an instance that has a namespace of its own. */
export function dedicatedPath(environment: string, dedicatedTo: string): string {
  const [app = '', name = ''] = dedicatedTo.split('/');
  return instancePath({ environment, app, name });
}

/** Of what has a namespace of its own, the instance shows the logs. */
function logsHref({ kind, name }: ResourceView, address: ResourceAddress): string {
  const { environment, dedicatedTo } = address;
  if (dedicatedTo === undefined) return resourcePath(environment, address, 'logs');
  return hrefWith(`${dedicatedPath(environment, dedicatedTo)}/logs`, { pod: kind === 'Pod' ? name : undefined });
}

export function resourceLive(view: ResourceView, environment: string): ResourceLive {
  return {
    ...stateOf(view),
    facts: view.facts.map(({ label, value, format }) => ({ label, text: value, time: format === 'time' ? value : '' })),
    ...containerRows(view),
    conditions: conditionRows(view.conditions),
    events: view.events.slice(0, MAX_EVENTS).map((event) => ({ ...event, warning: event.type === 'Warning' })),
    relations: relationsOf(view, addressOfView(view, { name: environment })),
    missing: view.missing.map(missingSentence),
    unavailable: view.unavailable,
  };
}

function stateOf({ deleting, health }: ResourceView): Pick<ResourceLive, 'health' | 'sentence'> {
  if (deleting) return { health: DELETING, sentence: 'It is being deleted.' };
  return health === undefined
    ? { sentence: '' }
    : { health: healthBadge(health.status), sentence: health.message || SENTENCES[health.status] };
}

function actionRows({ actions }: ResourceView, address: ResourceAddress): ResourcePage['actions'] {
  return actions.map(({ action, missing }) => ({
    label: ACTION_LABELS[action],
    href: resourcePath(address.environment, address, action),
    isDanger: action === 'evict',
    missing: missing === undefined ? '' : missingSentence(missing),
  }));
}

const MAX_EVENTS = 100;

const SENTENCES: Readonly<Record<HealthStatus, string>> = {
  Healthy: '',
  Progressing: 'A change is in progress.',
  Suspended: 'Somebody paused it.',
  Missing: 'A resource that it needs does not exist.',
  Degraded: 'It does not work as it should.',
  Unknown: 'It reports no health.',
};

function ownerHref({ ownerResource, owner }: ResourceView, address: ResourceAddress): string {
  if (ownerResource === undefined || owner === undefined) return '';
  return resourcePath(address.environment, { ...address, resource: ownerResource, name: owner.name });
}

function hrefOf({ resource, name, state }: RelatedView, address: ResourceAddress): string {
  return resource === undefined || state === 'Missing' ? '' : resourcePath(address.environment, { ...address, resource, name });
}

const TYPES = { Container: '', InitContainer: 'Init container', EphemeralContainer: 'Ephemeral container' } as const;

function containerRows({ containers, kind }: ResourceView): Pick<ResourceLive, 'containers' | 'runs'> {
  const runs = kind === 'Pod';
  const rows = containers.map((one) => ({
    ...one,
    type: TYPES[one.type],
    ...(runs && one.state !== '' ? { stateBadge: stateBadge(one) } : {}),
  }));
  return { containers: rows, runs };
}

function stateBadge({ state, ready }: ResourceView['containers'][number]): Badge {
  if (state.startsWith('Running')) {
    return ready
      ? { label: 'Running, ready', tone: 'good', symbol: 'check' }
      : { label: 'Running, not ready', tone: 'warn', symbol: 'warn' };
  }
  if (state.startsWith('Terminated: Completed')) return { label: 'Completed', tone: 'idle', symbol: 'check' };
  const isBad = state.startsWith('Terminated') || /Err|BackOff|Invalid/.test(state);
  return isBad ? { label: state, tone: 'bad', symbol: 'bad' } : { label: state, tone: 'busy', symbol: 'busy' };
}

function relationsOf({ related }: ResourceView, address: ResourceAddress): ResourceLive['relations'] {
  return TITLES.map(([direction, title]) => ({
    title,
    rows: related.filter((one) => one.direction === direction).map((one) => relatedRow(one, address)),
  })).filter(({ rows }) => rows.length > 0);
}

function relatedRow(one: RelatedView, address: ResourceAddress): RelatedRow {
  const { kind, name, path, health, state } = one;
  return {
    kind,
    name,
    href: hrefOf(one, address),
    words: wordsOf(one),
    path,
    ...(state === 'Missing' ? { state: healthBadge('Missing') } : health === undefined ? {} : { state: healthBadge(health.status) }),
  };
}

/** What the other resource is to the one of the page. */
function wordsOf({ class: relation, direction }: RelatedView): string {
  const [active, passive] = relationWords(relation);
  switch (direction) {
    case 'Owner':
      return 'owns it';
    case 'Owned':
      return 'owned by it';
    case 'References':
      return passive;
    case 'ReferencedBy':
      return `${active} it`;
    default:
      return direction satisfies never;
  }
}

/** What people type; names of objects hold nothing that a shell would read otherwise. */
function commandsOf({ resource, name, namespace, hasLogs, kind, actions }: ResourceView): ResourcePage['commands'] {
  const target = `${resource}/${name} --namespace ${namespace}`;
  return [
    { label: 'Read it', text: `kubectl get ${target} --output yaml` },
    { label: 'Summary and events', text: `kubectl describe ${target}` },
    { label: 'Managed fields', text: `kubectl get ${target} --output yaml --show-managed-fields` },
    ...(hasLogs && kind !== 'CronJob' ? [{ label: 'Logs', text: `kubectl logs ${target} --all-containers --tail 200` }] : []),
    ...actions.map(({ action, kubectl }) => ({ label: ACTION_LABELS[action], text: kubectl })),
  ];
}
