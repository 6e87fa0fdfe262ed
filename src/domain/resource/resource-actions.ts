import type { MissingPermission } from '../core/errors.ts';
import { booleanAt, listAt, numberAt, textAt } from '../core/read.ts';
import { quoted } from '../instance/instance-commands.ts';
import { OURS } from '../kubernetes/names.ts';
import { CRON_JOB, DAEMON_SET, DEPLOYMENT, POD, STATEFUL_SET } from '../kubernetes/resource-types.ts';
import type { JsonObject, KubeObject, ResourceType, ServedKind } from '../kubernetes/resource.ts';
import type { ResourceAttributes } from '../kubernetes/cluster.ts';
import type { RelatedResource } from '../tree/related-resources.ts';

/** What a person can do with a resource that runs something. */
export const RESOURCE_ACTIONS = ['restart', 'scale', 'run', 'suspend', 'resume', 'evict'] as const;
export type ResourceAction = (typeof RESOURCE_ACTIONS)[number];

/** An action on one resource, and whether the actor may do it. */
export interface ActionView {
  readonly action: ResourceAction;
  readonly allowed: boolean;
  /** The permission that is missing. */
  readonly missing?: MissingPermission;
  /** What will happen, in sentences. */
  readonly effects: readonly string[];
  /** The same with kubectl. */
  readonly kubectl: string;
}

const RESTARTED = [DEPLOYMENT, STATEFUL_SET, DAEMON_SET];

/** The actions that a resource offers now, in the order of the buttons. */
export function actionsFor(kind: ServedKind, { metadata, spec }: KubeObject): ResourceAction[] {
  if (metadata.deletionTimestamp !== undefined) return [];
  const pointless = booleanAt(spec, 'suspend') === true ? 'suspend' : 'resume';
  return RESOURCE_ACTIONS.filter((action) => action !== pointless && hasAction(kind, action));
}

/** Whether resources of a kind offer an action at all. */
export function hasAction(kind: ServedKind, action: ResourceAction): boolean {
  switch (action) {
    case 'restart':
      return RESTARTED.some((one) => isSame(one, kind));
    case 'scale':
      return kind.subresources?.includes('scale') === true;
    case 'run':
    case 'suspend':
    case 'resume':
      return isSame(CRON_JOB, kind);
    case 'evict':
      return isSame(POD, kind);
    default:
      return action satisfies never;
  }
}

function isSame(a: ResourceType, b: ResourceType): boolean {
  return a.group === b.group && a.resource === b.resource;
}

/** The permission that the api-server asks for. */
export function permissionFor(action: ResourceAction, { group, resource }: ResourceType, object: KubeObject): ResourceAttributes {
  const { name, namespace } = object.metadata;
  const place = namespace === undefined ? {} : { namespace };
  switch (action) {
    case 'scale':
      return { verb: 'patch', group, resource, subresource: 'scale', ...place, name };
    case 'evict':
      return { verb: 'create', group, resource, subresource: 'eviction', ...place, name };
    case 'restart':
    case 'run':
    case 'suspend':
    case 'resume':
      return { verb: 'patch', group, resource, ...place, name };
    default:
      return action satisfies never;
  }
}

/** As `kubectl rollout restart` writes it. */
export function restartPatch(now: string): JsonObject {
  return { spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': now } } } } };
}

export interface ActionFacts {
  readonly action: ResourceAction;
  readonly kind: ServedKind;
  readonly object: KubeObject;
  readonly related: readonly RelatedResource[];
  /** The Instance at the top of its owners. */
  readonly instance?: string;
}

/** What an action will do, in sentences for whoever confirms it. */
export function effectsOf(facts: ActionFacts): string[] {
  const { action, object } = facts;
  switch (action) {
    case 'restart':
      return [...restartEffects(object), ...revertedBy(facts, 'restart')];
    case 'scale':
      return [...autoscalers(facts), ...revertedBy(facts, 'change')];
    case 'run':
      return [`The controller creates a Job from the template of the CronJob ${object.metadata.name}. The schedule stays as it is.`];
    case 'suspend':
      return ['The CronJob starts no more jobs until somebody resumes it. Running jobs continue.', ...revertedBy(facts, 'change')];
    case 'resume':
      return ['The CronJob starts jobs by its schedule again.', ...revertedBy(facts, 'change')];
    case 'evict':
      return evictionEffects(object);
    default:
      return action satisfies never;
  }
}

function restartEffects({ kind, spec, status }: KubeObject): string[] {
  const strategy = textAt(spec, 'strategy', 'type') ?? textAt(spec, 'updateStrategy', 'type') ?? 'RollingUpdate';
  if (strategy === 'OnDelete') return [`The update strategy is OnDelete: each pod restarts only when it is deleted.`];
  if (strategy === 'Recreate')
    return ['The update strategy is Recreate: all pods stop before new ones start, so the app is down meanwhile.'];
  const count = numberAt(spec, 'replicas') ?? numberAt(status, 'desiredNumberScheduled');
  const pods = count === undefined ? 'its pods' : count === 1 ? 'its pod' : `its ${count} pods`;
  return [`The ${kind} replaces ${pods} step by step, by its update strategy.`];
}

function autoscalers({ related }: ActionFacts): string[] {
  return related
    .filter((one) => one.direction === 'ReferencedBy' && one.class === 'ScaleTarget')
    .map(({ kind, name }) => `The ${kind} ${name} scales it too, and overwrites this number.`);
}

function revertedBy({ object, related, instance }: ActionFacts, what: 'restart' | 'change'): string[] {
  if (what === 'restart') return [];
  if (instance !== undefined && instance !== object.metadata.name)
    return [`It belongs to the instance ${instance}, whose operator may revert this. Change the instance to make it last.`];
  const owner = related.find((one) => one.direction === 'Owner');
  return owner === undefined ? [] : [`It belongs to ${owner.kind} ${owner.name}, whose controller may revert this.`];
}

/** What takes the place of a pod. */
function evictionEffects({ metadata }: KubeObject): string[] {
  const owner = listAt(metadata, 'ownerReferences').find((one) => booleanAt(one, 'controller') === true);
  const [kind, name] = [textAt(owner, 'kind'), textAt(owner, 'name')];
  const budget = 'PodDisruptionBudgets are respected.';
  switch (kind) {
    case undefined:
      return [`No controller owns this pod, so nothing replaces it.`, budget];
    case 'StatefulSet':
      return [`The StatefulSet ${name} creates a new pod with the same name, ${metadata.name}, and the same volumes.`, budget];
    case 'DaemonSet':
      return [`The DaemonSet ${name} creates a new pod on the same node.`, budget];
    case 'Job':
      return [`The Job ${name} starts a new pod if its backoff limit allows one more attempt.`, budget];
    case 'Node':
      return ['This is a static pod: the kubelet of its node keeps running it.', budget];
    default:
      return [`The ${kind} ${name} creates a new pod with another name.`, budget];
  }
}

export interface CommandInput {
  readonly action: ResourceAction;
  readonly kind: ServedKind;
  readonly object: KubeObject;
  /** For `scale`. */
  readonly replicas?: number;
}

/** The same with kubectl. */
export function actionCommand({ action, kind, object, replicas = 1 }: CommandInput): string {
  const { name, namespace = '' } = object.metadata;
  const where = `--namespace ${quoted(namespace)}`;
  const target = `${resourceKey(kind)}/${quoted(name)}`;
  switch (action) {
    case 'restart':
      return `kubectl rollout restart ${target} ${where}`;
    case 'scale':
      return `kubectl scale ${target} --replicas ${replicas} ${where}`;
    case 'run':
      return `kubectl annotate ${target} ${where} --overwrite ${OURS.runAt}="$(date -u +%Y-%m-%dT%H:%M:%SZ)"`;
    case 'suspend':
    case 'resume':
      return `kubectl patch ${target} ${where} --type merge --patch '{"spec":{"suspend":${action === 'suspend'}}}'`;
    case 'evict':
      return evictionCommand(name, namespace);
    default:
      return action satisfies never;
  }
}

/** kubectl has no command for the eviction of one pod; `kubectl delete pod` ignores disruption budgets. */
function evictionCommand(name: string, namespace: string): string {
  const body = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } });
  return `echo ${quoted(body)} |\n  kubectl create --raw ${quoted(`/api/v1/namespaces/${namespace}/pods/${name}/eviction`)} -f -`;
}

/** `deployments.apps`, `pods`. */
export function resourceKey({ group, resource }: Pick<ResourceType, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}
