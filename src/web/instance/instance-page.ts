import type { App, InstancePermissions } from '../../domain/app/app.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { HealthStatus } from '../../domain/health/health.ts';
import type { EventView, InstanceView, RevealedValue } from '../../domain/instance/instance.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { Address } from '../../domain/tree/addresses.ts';
import type { ResourceTree } from '../../domain/tree/tree.ts';
import { type Badge, healthBadge } from '../page/badges.ts';
import { conditionRows, type ConditionRow } from '../page/conditions.ts';
import { DELETING } from '../environment/environment-page.ts';
import { renderMarkdown } from '../page/markdown.ts';
import { environmentPath, instancePath } from '../page/paths.ts';
import type { InstanceReading } from '../../operation/instance/list-events.ts';
import type { SafeHtml } from '../page/safe-html.ts';
import { treeRow, type TreeRow } from '../page/tree-view.ts';
import { yamlText } from '../page/yaml-text.ts';

/** What changes while somebody looks: the fragment that the stream sends again. A view of `environments/instances/live`. */
export interface InstanceLive {
  readonly health: Badge;
  readonly sentence: string;
  readonly working: boolean;
  /** The change that was made last has not been taken up yet. */
  readonly pending: boolean;
  readonly causes: ResourceTree['causes'];
  readonly addresses: readonly { readonly address: string; readonly url: string; readonly reached: string; readonly source: string }[];
  readonly tree: TreeRow;
  readonly count: number;
  readonly unreadable: readonly string[];
  readonly conditions: readonly ConditionRow[];
  readonly events: readonly (EventView & { readonly warning: boolean })[];
  readonly refreshHref: string;
}

export interface InstancePage {
  readonly name: string;
  readonly appName: string;
  readonly appHref: string;
  readonly kind: string;
  readonly created: string;
  readonly environment: { readonly name: string; readonly displayName: string };
  readonly live: InstanceLive;
  readonly streamHref: string;
  /** Where the page goes when the instance is gone. */
  readonly goneHref: string;
  /** Absent without the permission, or while it is deleted. */
  readonly changeHref?: string;
  readonly deleteHref?: string;
  readonly saveHref: string;
  readonly logsHref: string;
  readonly usage?: SafeHtml;
  readonly commands: readonly { readonly label: string; readonly text: string }[];
  readonly yaml: string;
  /** The values that are masked; of one that was just asked for, what it is. */
  readonly masked: readonly { readonly path: string; readonly isRevealed: boolean; readonly value: string }[];
  readonly revealAction: string;
  readonly isRevealing: boolean;
}

/** More are read over REST. */
const MOST_MASKED = 200;

export function instancePage(
  reading: InstanceReading,
  around: {
    readonly app: App;
    readonly environment: EnvironmentView;
    readonly permissions: InstancePermissions;
    readonly revealed?: RevealedValue;
  },
): InstancePage {
  const { instance } = reading;
  const { app, environment, permissions, revealed } = around;
  const href = instancePath(instance);
  return {
    name: instance.name,
    appName: instance.appName,
    appHref: `/apps/${encodeURIComponent(instance.app)}`,
    kind: instance.kind,
    created: instance.created,
    environment: { name: environment.name, displayName: environment.displayName === '' ? environment.name : environment.displayName },
    live: instanceLive(reading),
    streamHref: `${href}/stream`,
    goneHref: `${environmentPath(environment.name)}?deleted=${encodeURIComponent(instance.name)}`,
    ...(permissions.update && !instance.deleting ? { changeHref: `${href}/edit` } : {}),
    ...(permissions.delete && !instance.deleting ? { deleteHref: `${href}/delete` } : {}),
    saveHref: `${href}/save`,
    logsHref: `${href}/logs`,
    ...(app.usage.trim() === '' ? {} : { usage: renderMarkdown(fillUsage(app.usage, instance, environment)) }),
    commands: kubectlCommands(reading, environment),
    yaml: yamlText(withoutStatus(instance.object)),
    masked: instance.masked.slice(0, MOST_MASKED).map((path) => {
      const isRevealed = path === revealed?.path;
      return { path, isRevealed, value: isRevealed ? String(revealed.value) : '' };
    }),
    revealAction: `${href}/reveal`,
    isRevealing: revealed !== undefined,
  };
}

export function instanceLive({ instance, tree, events }: InstanceReading): InstanceLive {
  const { status, message } = tree.health;
  return {
    health: instance.deleting ? DELETING : healthBadge(status),
    sentence: instance.deleting ? 'Being deleted with everything that it owns.' : healthSentence(status, message),
    working: instance.deleting || status === 'Progressing',
    pending: instance.observedGeneration !== undefined && instance.observedGeneration < instance.generation,
    causes: explaining(tree, events),
    addresses: tree.addresses.map(({ address, url = '', scope, kind, name }) => ({
      address,
      url,
      reached: REACHED[scope],
      source: `${kind} ${name}`,
    })),
    tree: treeRow(tree.root, tree.unavailable),
    count: tree.count,
    unreadable: tree.unreadable,
    conditions: conditionRows(instance.conditions),
    events: events.map((event) => ({ ...event, warning: event.type === 'Warning' })),
    refreshHref: instancePath(instance),
  };
}

/**
 * The deepest cause explains most and comes first; what the banner says already is left out. That the cluster rejects a workload its pods stands
 * in an event alone.
 */
function explaining({ causes, health }: ResourceTree, events: readonly EventView[]): ResourceTree['causes'] {
  const withMessages = causes.map((cause) => {
    const rejected = events.find(
      ({ reason, resolved, kind, name }) => reason === 'FailedCreate' && !resolved && kind === cause.kind && name === cause.name,
    );
    return rejected === undefined
      ? cause
      : { ...cause, message: `No pods can be created: ${rejected.message.replace(/^.* is forbidden: /s, '')}` };
  });
  return withMessages.toReversed().filter(({ message }) => message !== health.message);
}

function healthSentence(status: HealthStatus, message: string): string {
  return message === '' ? SENTENCES[status] : message;
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
const MOST_FORWARDED = 5;

function kubectlCommands({ instance: { app, name }, tree }: InstanceReading, { namespace }: EnvironmentView): InstancePage['commands'] {
  const target = `${app} ${name} --namespace ${namespace}`;
  const forwards = [...new Set(tree.addresses.flatMap(({ portForward = [] }) => portForward))].slice(0, MOST_FORWARDED);
  return [
    { label: 'Read it', text: `kubectl get ${target} --output yaml` },
    { label: 'Wait until it is ready', text: `kubectl wait ${app}/${name} --namespace ${namespace} --for condition=Ready --timeout 5m` },
    { label: 'Change it', text: `kubectl edit ${target}` },
    ...forwards.map((text) => ({ label: 'Connect a port of your machine', text })),
    { label: 'Delete it', text: `kubectl delete ${target}` },
  ];
}

/** `{name}` and `{namespace}` in a usage note stand for the instance at hand. */
function fillUsage(usage: string, { name }: InstanceView, { namespace }: EnvironmentView): string {
  return usage.replaceAll('{name}', name).replaceAll('{namespace}', namespace);
}

function withoutStatus({ status: _status, ...rest }: KubeObject): object {
  return rest;
}
