import { BOARD_TRACKS, type BoardFilter, type BoardWorkload, filterBoard, tracksOf } from '../../domain/environment/deploy-board.ts';
import { RESOURCE_HEALTHS, resourceHealthOf } from '../../domain/environment/environment-resources.ts';
import type { JobDeployment } from '../../domain/environment/job-deployment.ts';
import { kindKey } from '../../domain/tree/object-index.ts';
import { POD_SPECS } from '../../domain/tree/relations.ts';
import type { WorkloadPod } from '../../domain/workload/revisions.ts';
import type { Workload } from '../../domain/workload/workload.ts';
import type { EnvironmentDeployments } from '../../operation/environment/job-deployments.ts';
import type { EnvironmentWorkloads } from '../../operation/environment/list-environment-resources.ts';
import { type Badge, DELETING, healthBadge } from '../page/badges.ts';
import { type Facet, facetOf } from '../page/facets.ts';
import { missingSentence } from '../page/message-page.ts';
import { environmentPath, environmentWorkloadsPath, hrefWith, instancePath, resourcePath } from '../page/paths.ts';
import { type RolloutView, rolloutView } from '../instance/workloads-tab.ts';
import { plural } from '../page/view-helpers.ts';
import { type EnvironmentRow, environmentRow } from './environment-page.ts';
import { type EnvironmentTab, environmentTabs } from './environment-parts.ts';
import { type EmptyView, emptyView } from '../page/empty-view.ts';
import { managerOf } from './resources-page.ts';

interface WorkloadRow {
  readonly kind: string;
  readonly apiVersion: string;
  readonly name: string;
  readonly href: string;
  readonly canary: boolean;
  readonly instance?: { readonly name: string; readonly href: string };
  /** Empty for what has no page of logs. */
  readonly logsHref: string;
  readonly manager: string;
  readonly version: string;
  readonly images: readonly string[];
  readonly pods: PodSquares;
  readonly restarts: number;
  readonly rollout: RolloutView;
  readonly health?: Badge;
  readonly message: string;
  readonly change: {
    readonly by: string;
    readonly time: string;
    readonly cause: string;
    readonly gitlab: string;
    readonly pipeline: string;
  };
}

/** What changes while somebody looks; a view of `environments/workloads-live`. */
export interface WorkloadsLive {
  /** `3 of 12 workloads, 8 of 9 pods ready`. */
  readonly resultLine: string;
  readonly rows: readonly WorkloadRow[];
  readonly hidden: number;
  readonly filtered: boolean;
  /** Absent where there are rows. */
  readonly empty?: EmptyView;
  /** How many kinds are looked for after this answer. */
  readonly unexplored: number;
  readonly clearHref: string;
  readonly missing: readonly string[];
  readonly unavailable: EnvironmentWorkloads['unavailable'];
}

/** A view of `environments/workloads`. */
export interface WorkloadsPage {
  readonly environment: EnvironmentRow;
  readonly tabs: readonly EnvironmentTab[];
  readonly search: string;
  readonly kept: readonly { readonly name: string; readonly value: string }[];
  readonly facets: readonly Facet[];
  readonly clearHref: string;
  readonly jsonHref: string;
  readonly csvHref: string;
  readonly live: WorkloadsLive;
  readonly deployments: DeploymentsPanel;
  readonly streamHref: string;
  readonly goneHref: string;
}

/** More are found by searching, and over REST. */
const MAX_ROWS = 200;
const MAX_SEARCH_LENGTH = 200;

export function parseBoardFilter(parameters: URLSearchParams): BoardFilter {
  const track = BOARD_TRACKS.find((one) => one === parameters.get('track'));
  const health = RESOURCE_HEALTHS.find((one) => one === parameters.get('health'));
  const search = (parameters.get('search') ?? '').trim().slice(0, MAX_SEARCH_LENGTH);
  return {
    ...(track === undefined ? {} : { track }),
    ...(health === undefined ? {} : { health }),
    ...(search === '' ? {} : { search }),
  };
}

export function workloadsPage(found: EnvironmentWorkloads, filter: BoardFilter, deployments: EnvironmentDeployments): WorkloadsPage {
  const { name } = found.environment;
  const path = environmentWorkloadsPath(name);
  const { track, health, search } = filter;
  return {
    environment: environmentRow(found.environment),
    tabs: environmentTabs(name, 'workloads'),
    search: search ?? '',
    kept: Object.entries({ track, health }).flatMap(([key, value]) => (value === undefined ? [] : [{ name: key, value }])),
    facets: facetsOf(found.all, filter, path).filter(({ options }) => options.length > 0),
    clearHref: path,
    jsonHref: `/api/v1${hrefWith(path, { ...filter, limit: '500' })}`,
    csvHref: `/api/v1${hrefWith(path, { ...filter, format: 'csv' })}`,
    live: workloadsLive(found, filter),
    deployments: deploymentsPanel(deployments),
    streamHref: hrefWith(`${path}/stream`, { ...filter }),
    goneHref: '/environments',
  };
}

export function workloadsLive(
  { environment, workloads, all, missing, unavailable, empty, unexplored = 0 }: EnvironmentWorkloads,
  filter: BoardFilter,
): WorkloadsLive {
  const pods = workloads.flatMap(({ revisions }) => revisions.flatMap((revision) => revision.pods));
  const ready = `${pods.filter((pod) => pod.ready).length} of ${plural(pods.length, 'pod', 'pods')} ready`;
  const isFiltered = Object.keys(filter).length > 0;
  const count = plural(all.length, 'workload', 'workloads');
  return {
    resultLine: `${isFiltered ? `${workloads.length} of ${count}` : count}, ${ready}`,
    rows: workloads
      .toSorted((a, b) => severity(b) - severity(a))
      .slice(0, MAX_ROWS)
      .map((workload) => workloadRow(workload, environment.name)),
    hidden: Math.max(0, workloads.length - MAX_ROWS),
    filtered: isFiltered,
    ...(empty === undefined ? {} : { empty: emptyView(empty, TITLES) }),
    unexplored,
    clearHref: environmentWorkloadsPath(environment.name),
    missing: missing.map(missingSentence),
    unavailable,
  };
}

const TITLES = { NothingInstalled: 'No workloads yet', NoMatch: 'No workload matches' } as const;

/** Those that are not well come first. */
function severity(workload: BoardWorkload): number {
  const health = resourceHealthOf(workload);
  return health === 'None' ? -1 : RESOURCE_HEALTHS.indexOf(health);
}

function workloadRow(workload: BoardWorkload, environment: string): WorkloadRow {
  const { kind, apiVersion, name, resource, health, rollout, instance, deleting } = workload;
  const href = instance === undefined ? undefined : instancePath({ environment, ...instance });
  const isOld = health === undefined || health.status === 'Healthy';
  return {
    kind,
    apiVersion,
    name,
    href: resourcePath(environment, { resource, name }),
    canary: tracksOf(workload).includes('canary'),
    ...(instance === undefined || href === undefined ? {} : { instance: { name: instance.name, href } }),
    logsHref: logsOf(workload, environment),
    manager: managerOf(workload),
    version: workload.version,
    images: workload.images.map(({ image }) => image),
    pods: podSquares(workload),
    restarts: workload.restarts,
    rollout: rolloutView(rollout),
    ...(deleting ? { health: DELETING } : health === undefined ? {} : { health: healthBadge(health.status) }),
    message: workload.cause ?? (isOld || health.message === rollout.message ? '' : health.message),
    change: changeOf(workload),
  };
}

/** Its own logs, or those of its instance where it has no page of logs. */
function logsOf({ apiVersion, kind, resource, name, instance }: BoardWorkload, environment: string): string {
  if (Object.hasOwn(POD_SPECS, kindKey({ apiVersion, kind }))) return resourcePath(environment, { resource, name }, 'logs');
  return instance === undefined ? '' : `${instancePath({ environment, ...instance })}/logs`;
}

function changeOf({ change: { manager, time, cause, gitlab, pipeline } }: BoardWorkload): WorkloadRow['change'] {
  const project = [gitlab['app'], gitlab['env']].filter((text) => text !== undefined && text !== '').join(', ');
  return { by: manager, time, cause, gitlab: project, pipeline };
}

function facetsOf(all: readonly BoardWorkload[], filter: BoardFilter, path: string): Facet[] {
  const { track, health, ...search } = filter;
  const hrefOf = (name: 'track' | 'health') => (value: string | undefined) => hrefWith(path, { ...filter, [name]: value });
  return [
    facetOf({
      label: 'Health',
      values: filterBoard(all, { ...search, ...(track === undefined ? {} : { track }) }).map((one) => [resourceHealthOf(one)]),
      selected: health,
      hrefOf: hrefOf('health'),
      labelOf: (value) => (value === 'None' ? 'No health' : value),
      order: RESOURCE_HEALTHS.toReversed().filter((one) => one !== 'None'),
    }),
    facetOf({
      label: 'Track',
      values: filterBoard(all, { ...search, ...(health === undefined ? {} : { health }) }).map(tracksOf),
      selected: track,
      hrefOf: hrefOf('track'),
      order: BOARD_TRACKS,
    }),
  ];
}

/** One pod: its tone, its mark, and its name and status for a pointer. */
interface PodSquare {
  readonly x: number;
  readonly y: number;
  readonly tone: 'good' | 'busy' | 'bad' | 'idle';
  readonly isCanary: boolean;
  readonly isOld: boolean;
  readonly title: string;
}

/** A view of `parts/pod-squares`: the pods of a workload, those of its current revision first, and the same in words. */
interface PodSquares {
  readonly label: string;
  readonly width: number;
  readonly height: number;
  readonly squares: readonly PodSquare[];
  /** `2 of 3 ready`, and a line for each of what is wrong or on its way. */
  readonly text: string;
  readonly notes: readonly string[];
}

const MAX_SQUARES = 50;
const A_ROW = 10;
const STEP = 18;
const MAX_NOTES = 4;

function podSquares({ desired, ready, revisions }: Pick<Workload, 'desired' | 'ready' | 'revisions'>): PodSquares {
  const pods = revisions.flatMap(({ pods: own, current }) => own.map((pod) => ({ pod, current })));
  const shown = pods.slice(0, MAX_SQUARES);
  const columns = Math.min(A_ROW, Math.max(1, shown.length));
  const text = `${ready} of ${desired} ready`;
  return {
    label: `Pods: ${text}`,
    width: columns * STEP,
    height: Math.ceil(shown.length / A_ROW) * STEP,
    squares: shown.map(({ pod, current }, index) => ({
      x: (index % A_ROW) * STEP + 2,
      y: Math.floor(index / A_ROW) * STEP + 2,
      tone: toneOf(pod),
      isCanary: pod.track === 'canary',
      isOld: !current,
      title: `${pod.name}: ${pod.ready ? 'ready' : pod.status}${pod.track === 'canary' ? ', canary' : ''}${current ? '' : ', earlier revision'}`,
    })),
    text,
    notes: notesOf(pods, pods.length - shown.length),
  };
}

function toneOf({ ready, status, health }: WorkloadPod): PodSquare['tone'] {
  if (ready) return 'good';
  if (health?.status === 'Degraded') return 'bad';
  return status === 'Succeeded' || status === 'Completed' || status === 'Terminating' ? 'idle' : 'busy';
}

function notesOf(pods: readonly { readonly pod: WorkloadPod; readonly current: boolean }[], hidden: number): string[] {
  const waiting = Map.groupBy(
    pods.filter(({ pod }) => !pod.ready),
    ({ pod }) => pod.status,
  );
  const canaries = pods.filter(({ pod }) => pod.track === 'canary').length;
  const old = pods.filter(({ current }) => !current).length;
  return [
    ...[...waiting].slice(0, MAX_NOTES).map(([status, same]) => `${same.length} ${status}`),
    ...(canaries === 0 || canaries === pods.length ? [] : [plural(canaries, 'canary', 'canaries')]),
    ...(old === 0 ? [] : [`${old} of earlier revisions`]),
    ...(hidden > 0 ? [`${plural(hidden, 'more pod', 'more pods')} not drawn`] : []),
  ];
}

interface DeploymentCell {
  readonly label: string;
  /** RFC 3339; empty when there is none. */
  readonly time: string;
  readonly badge: Badge;
  /** The project, else the user. */
  readonly by: string;
  readonly ref: string;
  readonly commit: string;
  readonly shortCommit: string;
  readonly message: string;
  readonly pipelineURL: string;
}

/** What CI jobs deployed: a part of `environments/workloads`. */
export interface DeploymentsPanel {
  readonly rows: readonly { readonly target: string; readonly href: string; readonly cells: readonly DeploymentCell[] }[];
  readonly csvHref: string;
  /** The permission that is missing; empty when they are listed. */
  readonly missing: string;
}

function deploymentsPanel({ environment, deployments, missing }: EnvironmentDeployments): DeploymentsPanel {
  return {
    rows: deployments.map(({ target, lastSuccessful, lastFailed, running }) => ({
      target,
      href: hrefOf(environment.name, target),
      cells: [
        cellOf('Last successful', { label: 'Succeeded', tone: 'good', symbol: 'check' }, lastSuccessful),
        cellOf('Last failed', { label: 'Failed', tone: 'bad', symbol: 'bad' }, lastFailed),
        cellOf('Running', { label: 'Running', tone: 'busy', symbol: 'busy' }, running),
      ],
    })),
    csvHref: `/api/v1${environmentPath(environment.name)}/deployments?format=csv`,
    missing: missing === undefined ? '' : missingSentence(missing),
  };
}

/** Of a target that names its kind. */
function hrefOf(environment: string, target: string): string {
  const [resource = '', name = '', ...rest] = target.split('/');
  return name === '' || rest.length > 0 ? '' : resourcePath(environment, { resource, name });
}

const SHORT_COMMIT = 8;

function cellOf(label: string, badge: Badge, deployment: JobDeployment | undefined): DeploymentCell {
  const { time = '', project = '', user = '', ref = '', commit = '', message = '', pipelineURL = '' } = deployment ?? {};
  return { label, badge, time, by: project || user, ref, commit, shortCommit: commit.slice(0, SHORT_COMMIT), message, pipelineURL };
}
