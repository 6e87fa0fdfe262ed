import { releaseNamespaceOf } from '../../domain/app-instance/instance.ts';
import { type App, ownerOf } from '../../domain/app/app.ts';
import type { CauseLink } from '../../domain/cause/cause.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { HEALTH_STATUSES, type HealthStatus } from '../../domain/health/health.ts';
import type { EventView, InstanceView, RevealedValue } from '../../domain/instance/instance.ts';
import { at, numberAt, textAt } from '../../domain/core/read.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { Address } from '../../domain/tree/addresses.ts';
import { nodesOf, type ResourceTree, type TreeNode } from '../../domain/tree/tree.ts';
import type { ContainerImage } from '../../domain/workload/pod-template.ts';
import type { Workload } from '../../domain/workload/workload.ts';
import { commandsFor } from '../../domain/instance/instance-commands.ts';
import { dateText } from '../page/time-words.ts';
import { type Badge, DELETING, healthBadge } from '../page/badges.ts';
import { type ConditionRow, conditionRows } from '../page/conditions.ts';
import { renderMarkdown } from '../page/markdown.ts';
import { instancePath } from '../page/paths.ts';
import { type FrameInput, instanceFrame, type InstanceFrame, instanceTabPath } from './instance-frame.ts';
import type { InstanceReading } from '../../operation/instance/list-events.ts';
import type { SafeHtml } from '../page/safe-html.ts';
import { nodePath, treePlace, type TreePlace } from '../page/tree-view.ts';
import { yamlText } from '../page/yaml-text.ts';

/** What changes while somebody looks: the fragment that the stream sends again. A view of `environments/instances/live`. */
export interface InstanceLive {
  readonly health: Badge;
  readonly sentence: string;
  readonly working: boolean;
  /** The change that was made last has not been taken up yet. */
  readonly pending: boolean;
  /** Absent where nothing is known to be wrong. */
  readonly cause?: CauseView;
  readonly addresses: readonly { readonly address: string; readonly url: string; readonly reached: string; readonly source: string }[];
  readonly resources: ResourceSummary;
  readonly versions: readonly Fact[];
  /** What the chart says to whoever installs it, as plain text; empty when it says nothing. */
  readonly notes: string;
  readonly unreadable: readonly string[];
  readonly conditions: readonly ConditionRow[];
  readonly events: readonly (EventView & { readonly warning: boolean })[];
  readonly refreshHref: string;
}

/** The resources of an Instance in short. */
interface ResourceSummary {
  readonly href: string;
  readonly count: number;
  /** The worst first. */
  readonly counts: readonly { readonly health: Badge; readonly href: string }[];
  readonly worst: readonly {
    readonly kind: string;
    readonly name: string;
    /** Empty where it has no page. */
    readonly href: string;
    readonly health: Badge;
    readonly message: string;
  }[];
  /** Further ones that are not healthy. */
  readonly more: number;
}

/** A view of `parts/facts`. */
interface Fact {
  readonly term: string;
  readonly text: string;
  readonly href?: string;
}

export interface InstancePage extends InstanceFrame {
  readonly live: InstanceLive;
  readonly streamHref: string;
  readonly usage?: SafeHtml;
  readonly commands: readonly { readonly label: string; readonly text: string }[];
  readonly yaml: string;
  /** The values that are masked; of one that was just asked for, what it is. */
  readonly masked: readonly { readonly path: string; readonly isRevealed: boolean; readonly value: string }[];
  readonly revealAction: string;
  readonly isRevealing: boolean;
}

/** More are read over REST. */
const MAX_MASKED = 200;

export function instancePage(
  reading: InstanceReading,
  around: Omit<FrameInput, 'instance'> & { readonly app: App; readonly revealed?: RevealedValue },
): InstancePage {
  const { instance } = reading;
  const { app, environment, revealed } = around;
  const href = instancePath(instance);
  const frame = instanceFrame({ instance, ...around }, 'overview');
  return {
    ...frame,
    live: instanceLive(reading, app),
    streamHref: `${href}/stream`,
    ...(app.usage.trim() === '' ? {} : { usage: renderMarkdown(fillUsage(app.usage, instance)) }),
    commands: kubectlCommands(reading, environment, frame),
    yaml: yamlText(withoutStatus(instance.object)),
    masked: instance.masked.slice(0, MAX_MASKED).map((path) => {
      const isRevealed = path === revealed?.path;
      return { path, isRevealed, value: isRevealed ? String(revealed.value) : '' };
    }),
    revealAction: `${href}/reveal`,
    isRevealing: revealed !== undefined,
  };
}

/** @param app of the instance. */
export function instanceLive({ instance, tree, workloads, events }: InstanceReading, app: App): InstanceLive {
  const { health } = tree;
  // The banner says why something rests on purpose.
  const why = health.status === 'Suspended' ? undefined : causeView(instance, tree);
  return {
    health: instance.deleting ? DELETING : healthBadge(health.status),
    sentence: headline(instance, tree),
    working: instance.deleting || health.status === 'Progressing',
    pending: instance.observedGeneration !== undefined && instance.observedGeneration < instance.generation,
    ...(why === undefined ? {} : { cause: why }),
    addresses: tree.addresses.map(({ address, url = '', scope, kind, name }) => ({
      address,
      url,
      reached: REACHED[scope],
      source: `${kind} ${name}`,
    })),
    resources: resourceSummary(instance, tree),
    versions: versionsOf(app, instance, workloads),
    notes: app.definition === undefined ? '' : (textAt(instance.object.status, 'notes') ?? ''),
    unreadable: tree.unreadable,
    conditions: conditionRows(instance.conditions),
    events: events.map((event) => ({ ...event, warning: event.type === 'Warning' })),
    refreshHref: instancePath(instance),
  };
}

const MAX_WORST = 5;

function resourceSummary(instance: InstanceView, { root, count }: ResourceTree): ResourceSummary {
  const href = instanceTabPath(instance, 'resources');
  const nodes = nodesOf(root);
  const byHealth = Map.groupBy(nodes, ({ health }) => health?.status);
  const counts = HEALTH_STATUSES.toReversed().flatMap((status) => {
    const found = byHealth.get(status)?.length ?? 0;
    const badge = healthBadge(status);
    return found === 0 ? [] : [{ health: { ...badge, label: `${found} ${badge.label}` }, href: `${href}?health=${status}` }];
  });
  const sick = HEALTH_STATUSES.toReversed()
    .filter((status) => status !== 'Healthy' && status !== 'Suspended')
    .flatMap((status) => byHealth.get(status) ?? []);
  const worst = sick.slice(0, MAX_WORST).map((node) => ({
    kind: node.kind,
    name: node.name,
    href: nodePath(treePlace(instance, root), node),
    health: healthBadge(node.health?.status ?? 'Unknown'),
    message: node.health?.message ?? '',
  }));
  return { href, count, counts, worst, more: sick.length - worst.length };
}

/** What runs: the app, what brought it, and the images of its workloads. */
function versionsOf(app: App, { object }: InstanceView, workloads: readonly Workload[]): Fact[] {
  const images = workloads.flatMap((workload) => workload.revisions.flatMap((revision) => revision.images).concat(workload.images));
  const byName = Map.groupBy(images, ({ name }) => name);
  return [
    ...(app.group === OURS.appsGroup ? ownVersions(object) : installedVersions(app)),
    { term: ownerOf(app).kind, text: ownerOf(app).name },
    { term: 'API version', text: object.apiVersion },
    ...[...byName]
      .sort(([a], [b]) => a.localeCompare(b))
      .slice(0, MAX_IMAGES)
      .map(([name, same]) => ({ term: 'Image', text: `${name} ${[...new Set(same.map(tagOf))].join(', ')}` })),
  ];
}

/** Of an Operator, which is installed once for the whole cluster. */
function installedVersions({ displayName, appVersion, chartVersion }: App): Fact[] {
  return [
    { term: displayName, text: appVersion ?? '' },
    { term: 'Chart', text: chartVersion ?? '' },
  ].filter(({ text }) => text !== '');
}

/** Each instance of a chart has a version of its own. */
function ownVersions({ spec, status }: KubeObject): Fact[] {
  const [release, replicas] = [textAt(status, 'release', 'name'), numberAt(status, 'replicas')];
  return [
    { term: 'App version', text: textAt(status, 'chart', 'appVersion') ?? '' },
    { term: 'Chart version', text: textAt(status, 'version') ?? '' },
    { term: 'Channel', text: textAt(spec, 'channel') ?? '' },
    { term: 'Available version', text: textAt(status, 'availableVersion') ?? '' },
    { term: 'Dedicated namespace', text: textAt(status, 'namespace') ?? '' },
    { term: 'Replicas', text: replicas === undefined ? '' : String(replicas) },
    { term: 'Release', text: release === undefined ? '' : `${release}, revision ${numberAt(status, 'release', 'revision') ?? 0}` },
  ].filter(({ text }) => text !== '');
}

/** Of images. */
const MAX_IMAGES = 20;

function tagOf({ tag, digest }: ContainerImage): string {
  if (tag !== undefined) return tag;
  return digest === undefined ? 'no tag' : digest.slice(0, 'sha256:'.length + 12);
}

function headline(instance: InstanceView, { health, cause }: ResourceTree): string {
  if (cause !== undefined && health.status !== 'Suspended') return cause.message;
  if (instance.deleting) return 'Being deleted with everything that it owns.';
  return health.message === '' ? SENTENCES[health.status] : health.message;
}

const SENTENCES: Readonly<Record<HealthStatus, string>> = {
  Healthy: 'All of its resources are healthy.',
  Progressing: 'A change is in progress. No action is needed.',
  Suspended: 'Somebody paused this instance.',
  Missing: 'A resource that it needs does not exist.',
  Degraded: 'One of its resources is failing.',
  Unknown: 'No health reported yet.',
};

const REACHED: Readonly<Record<Address['scope'], string>> = {
  External: 'from outside the cluster',
  Node: 'at any node of the cluster',
  Cluster: 'inside the cluster',
};

/** Commands that connect a port, at most. */
const MAX_PORT_FORWARDS = 5;

function kubectlCommands(
  { instance: { app, name }, tree }: InstanceReading,
  { namespace }: EnvironmentView,
  frame: Pick<InstanceFrame, 'scaleHref'>,
): InstancePage['commands'] {
  const target = `${app} ${name} --namespace ${namespace}`;
  const forwards = [...new Set(tree.addresses.flatMap(({ portForward = [] }) => portForward))].slice(0, MAX_PORT_FORWARDS);
  return [
    { label: 'Read it', text: `kubectl get ${target} --output yaml` },
    { label: 'Wait until it is ready', text: `kubectl wait ${app}/${name} --namespace ${namespace} --for condition=Ready --timeout 5m` },
    { label: 'Change it', text: `kubectl edit ${target}` },
    ...(frame.scaleHref === undefined
      ? []
      : [{ label: 'Scale it', text: `kubectl scale ${app}/${name} --namespace ${namespace} --replicas 3` }]),
    ...forwards.map((text) => ({ label: 'Connect a port of your machine', text })),
    { label: 'Delete it', text: `kubectl delete ${target}` },
  ];
}

/** `{name}` and `{namespace}` in a usage note stand for the instance at hand. */
function fillUsage(usage: string, { name, object }: InstanceView): string {
  return usage.replaceAll('{name}', name).replaceAll('{namespace}', releaseNamespaceOf(object));
}

function withoutStatus({ status: _status, ...rest }: KubeObject): object {
  return rest;
}

/** A view of `parts/cause`. */
interface CauseView {
  readonly cause: LinkView;
  /** What it holds back, the instance last. */
  readonly affected: readonly LinkView[];
  /** Present when a container crashed. */
  readonly log?: { readonly container: string; readonly href: string; readonly text: string };
  /** Kinds that were not read, as words; empty where all were. */
  readonly unread: string;
}

/** A view of `parts/expiry`. */
interface ExpiryView {
  readonly title: string;
  readonly text: string;
  /** The form with a later end; empty where its AppDefinition lets it live no longer. */
  readonly extendHref: string;
  readonly extension: string;
  readonly commands: readonly { readonly label: string; readonly text: string }[];
}

/** That an instance is about to end, and how to keep it; empty when it is not. */
export function expiryPart(instance: InstanceView, publicUrl: string): { readonly expiry?: ExpiryView } {
  const { expiry, object, app } = instance;
  if (expiry === undefined || instance.deleting) return {};
  const { phase, extension = '' } = expiry;
  const [expires, deletes] = [dateText(expiry.expiresAt), dateText(expiry.deletesAt)];
  const isSuspended = at(object.spec, 'suspend') === true;
  const zero = isSuspended ? 'spec.suspend is set, so its workloads go on' : `Its workloads are scaled to zero`;
  const text =
    phase === 'Expired'
      ? `${zero}, and its data stays until it is deleted on ${deletes}.`
      : `${zero}${isSuspended ? '' : ' then'}. It is deleted on ${deletes}.`;
  const ask = 'To keep it, ask an admin for a longer spec.expiry.after of the AppDefinition.';
  const title = `${phase === 'Expired' ? 'Expired' : 'Expires'} on ${expires}`;
  if (extension === '') return { expiry: { title, text: `${text} ${ask}`, extendHref: '', extension, commands: [] } };
  const path = instancePath(instance);
  const body = { spec: { expires: extension } };
  const { kubectl, curl } = commandsFor(object, { method: 'PATCH', url: `${publicUrl}/api/v1${path}`, body, app });
  const commands = [
    { label: 'The same with kubectl', text: kubectl },
    { label: 'The same with the REST API', text: curl },
  ];
  return {
    expiry: { title, text, extendHref: `${path}/edit?${new URLSearchParams({ expires: extension }).toString()}`, extension, commands },
  };
}

interface LinkView extends Pick<CauseLink, 'kind' | 'name' | 'message'> {
  /** Empty where there is no other page about it. */
  readonly href: string;
  /** Empty when unknown. */
  readonly since: string;
}

/** Why an instance is not well; undefined where nothing is known to be wrong. */
function causeView(instance: InstanceView, { root, cause, unreadable }: ResourceTree): CauseView | undefined {
  if (cause === undefined) return undefined;
  const { chain, container, log } = cause;
  const [first, ...affected] = chain.map((link) => linkView(link, root, treePlace(instance, root)));
  if (first === undefined) return undefined;
  return {
    cause: first,
    affected,
    ...(container === undefined ? {} : { log: { container: container.name, href: logsPath(instance, container), text: log?.text ?? '' } }),
    unread: unreadable.join(', '),
  };
}

function linkView({ apiVersion, kind, name, message, since = '' }: CauseLink, root: TreeNode, place: TreePlace): LinkView {
  const node = nodesOf(root).find((one) => one.kind === kind && one.name === name && one.apiVersion === apiVersion);
  // The instance is the page itself.
  return {
    kind,
    name,
    message,
    since,
    href: node === undefined || node === root ? '' : nodePath(place, node),
  };
}

function logsPath(instance: InstanceView, { pod, name, previous }: NonNullable<NonNullable<ResourceTree['cause']>['container']>): string {
  const query = new URLSearchParams({ pod, container: name, ...(previous ? { previous: 'on' } : {}) });
  return `${instancePath(instance)}/logs?${query.toString()}`;
}
