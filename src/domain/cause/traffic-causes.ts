import { at, isObject, listAt, numberAt, objectAt, textAt } from '../core/read.ts';
import { conditionsIn } from '../health/rules/conditions.ts';
import { healthOf } from '../health/rules/health-of.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { kindKey } from '../tree/object-index.ts';
import type { Placed } from '../tree/place-objects.ts';
import {
  blocked,
  type CauseRule,
  conditionSince,
  excerpt,
  type Finding,
  hasCondition,
  isMissing,
  type CauseContext,
  type CauseObjects,
  sinceOf,
  type Subject,
} from './cause.ts';
import { containersOf } from './containers.ts';

/** Services, Ingresses and routes that lead nowhere, and autoscalers without a target: found in the graph, because none of them reports it. */
export const TRAFFIC_RULES: Readonly<Record<string, readonly CauseRule[]>> = {
  '/Service': [serviceWithoutPods, serviceWithoutPort, serviceWithoutEndpoints, balancerMissing, servicePortUndeclared],
  'networking.k8s.io/Ingress': [backendMissing, certificateMissing, ingressWithoutAddress],
  ...Object.fromEntries(
    ['HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute'].map((kind) => [
      `gateway.networking.k8s.io/${kind}`,
      [backendMissing, routeRejected, routeUnattached],
    ]),
  ),
  'autoscaling/HorizontalPodAutoscaler': [scaleTargetMissing],
};

/** A controller that says that its resource is well knows why a Service of its own selects nothing, such as that of the replicas of a single server. */
export function isVouchedFor({ edge, parent }: Placed): boolean {
  return edge?.class === 'Owner' && parent !== undefined && healthOf(parent.object)?.status === 'Healthy';
}

function serviceWithoutPods({ placed, object, context }: Subject): Finding | undefined {
  const selector = selectorOf(object);
  if (selector.length === 0 || !context.listed.has('/Pod') || podsOf(placed).length > 0) return undefined;
  const labels = selector.map(([key, value]) => `${key}=${value}`).join(', ');
  const ofTemplate = selector.filter(([key]) => !SET_BY_CONTROLLERS.has(key));
  const workload = workloadFor(ofTemplate, context);
  if (workload !== undefined) {
    const { kind, metadata, spec } = workload;
    if (numberAt(spec, 'replicas') === 0) {
      return { rank: 'Warning', message: `has no endpoints: ${kind} ${metadata.name} is scaled to 0 replicas` };
    }
    return ['Job', 'CronJob', 'DaemonSet'].includes(kind)
      ? undefined
      : { rank: 'Waiting', message: `has no endpoints: ${kind} ${metadata.name} has no pods yet` };
  }
  const message = `has no endpoints: no pod has the ${selector.length === 1 ? 'label' : 'labels'} ${labels}`;
  const isCertain = context.hasWorkloads && ofTemplate.length === selector.length;
  return isCertain ? blocked(message, object.metadata.creationTimestamp) : { rank: 'Waiting', message };
}

/** Labels that Pods have from their controller, and their templates do not. */
const SET_BY_CONTROLLERS = new Set([
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
  'controller-revision-hash',
  'pod-template-hash',
  'batch.kubernetes.io/job-name',
  'batch.kubernetes.io/controller-uid',
  'job-name',
  'controller-uid',
]);

function selectorOf({ spec }: KubeObject): [string, string][] {
  if (textAt(spec, 'type') === 'ExternalName') return [];
  return Object.entries(objectAt(spec, 'selector')).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
}

/** The Pods that a Service sends traffic to, those that have ended left out. */
function podsOf({ edges }: Placed): KubeObject[] {
  return edges
    .filter((edge) => edge.class === 'Selector')
    .flatMap(({ target }) => (target === undefined ? [] : [target]))
    .filter(({ status }) => !['Succeeded', 'Failed'].includes(textAt(status, 'phase') ?? ''));
}

/** The workload whose Pods a selector would match. */
function workloadFor(selector: readonly (readonly [string, string])[], { workloadsByLabel }: CauseContext): KubeObject | undefined {
  const [first] = selector;
  const candidates = first === undefined ? [] : (workloadsByLabel.get(first.join('=')) ?? []);
  return candidates.find(({ labels }) => selector.every(([key, value]) => labels[key] === value))?.object;
}

interface Port {
  readonly port: number;
  readonly target: number | string;
}

function portsOf({ spec }: KubeObject): Port[] {
  return listAt(spec, 'ports').flatMap((one) => {
    const port = numberAt(one, 'port');
    const target = at(one, 'targetPort');
    return port === undefined ? [] : [{ port, target: typeof target === 'number' || typeof target === 'string' ? target : port }];
  });
}

function serviceWithoutPort({ placed, object }: Subject): Finding | undefined {
  const pods = podsOf(placed);
  if (pods.length === 0) return undefined;
  const names = new Set(pods.flatMap((pod) => declared(pod).map(({ name }) => name)));
  const broken = portsOf(object).find(({ target }) => typeof target === 'string' && !names.has(target));
  return broken === undefined
    ? undefined
    : blocked(
        `has no endpoints for port ${broken.port}: no container of its pods has a port named ${broken.target}`,
        object.metadata.creationTimestamp,
      );
}

function declared(pod: KubeObject): { readonly name: string; readonly port: number }[] {
  return containersOf(pod)
    .flatMap(({ spec }) => listAt(spec, 'ports'))
    .map((one) => ({ name: textAt(one, 'name') ?? '', port: numberAt(one, 'containerPort') ?? 0 }));
}

function serviceWithoutEndpoints({ placed, object }: Subject): Finding | undefined {
  const pods = podsOf(placed);
  if (pods.length === 0 || at(object.spec, 'publishNotReadyAddresses') === true) return undefined;
  if (pods.some((pod) => hasCondition(pod, 'Ready', 'True'))) return undefined;
  return { rank: 'Waiting', message: 'has no ready endpoints', ...sinceOf(conditionSince(pods[0] ?? object, 'Ready', 'False')) };
}

/** Containers may listen on ports that they do not declare, so this is no more than a warning. */
function servicePortUndeclared({ placed, object }: Subject): Finding | undefined {
  const ports = podsOf(placed).map((pod) => declared(pod).map(({ port }) => port));
  if (ports.length === 0 || ports.some((all) => all.length === 0)) return undefined;
  const known = [...new Set(ports.flat())].toSorted((a, b) => a - b);
  const odd = portsOf(object).find(({ target }) => typeof target === 'number' && !known.includes(target));
  return odd === undefined
    ? undefined
    : { rank: 'Warning', message: `forwards port ${odd.port} to port ${odd.target}, but its pods declare only ${known.join(', ')}` };
}

interface Backend {
  readonly name: string;
  readonly port: number | string | undefined;
}

/** The Services of the same namespace that an Ingress or a route names. */
function backendsOf({ spec }: KubeObject): Backend[] {
  const ingress = [
    listAt(spec, 'rules').flatMap((rule) => listAt(rule, 'http', 'paths').map((path) => at(path, 'backend'))),
    at(spec, 'defaultBackend'),
  ]
    .flat()
    .map((backend) => at(backend, 'service'));
  const routes = listAt(spec, 'rules')
    .flatMap((rule) => listAt(rule, 'backendRefs'))
    .filter((ref) => (textAt(ref, 'kind') ?? 'Service') === 'Service' && textAt(ref, 'namespace') === undefined);
  return [...ingress, ...routes].flatMap((one) => {
    const name = textAt(one, 'name');
    const port = numberAt(one, 'port') ?? numberAt(one, 'port', 'number') ?? textAt(one, 'port', 'name');
    return isObject(one) && name !== undefined ? [{ name, port }] : [];
  });
}

function backendMissing({ placed, object, context }: Subject): Finding | undefined {
  const since = object.metadata.creationTimestamp;
  for (const { name, port } of backendsOf(object)) {
    const edge = placed.edges.find((one) => one.class === 'Backend' && one.named.kind === '/Service' && one.named.name === name);
    if (edge === undefined) continue;
    if (isMissing(edge, context)) return blocked(`routes to Service ${name}, which does not exist`, since);
    if (edge.target === undefined || port === undefined || textAt(edge.target.spec, 'type') === 'ExternalName') continue;
    const ports = listAt(edge.target.spec, 'ports');
    const known = ports
      .map((one) => (typeof port === 'number' ? numberAt(one, 'port') : textAt(one, 'name')))
      .filter((one) => one !== undefined);
    if (!known.includes(port)) return blocked(`routes to port ${port} of Service ${name}, which ${portWords(known)}`, since);
  }
  return undefined;
}

function portWords(known: readonly (number | string)[]): string {
  return known.length === 0 ? 'has no named ports' : `has only ${known.length === 1 ? 'port' : 'the ports'} ${known.join(', ')}`;
}

function certificateMissing({ placed, object, context }: Subject): Finding | undefined {
  const edge = placed.edges.find((one) => one.class === 'TLS' && isMissing(one, context));
  if (edge === undefined) return undefined;
  const { name } = edge.named;
  const message = `uses the TLS certificate in Secret ${name}, which does not exist`;
  return context.writtenSecrets.has(name) ? { rank: 'Waiting', message } : blocked(message, object.metadata.creationTimestamp);
}

/** What the controllers of load balancers and Ingresses cannot do stands in their events alone. */
function balancerMissing(subject: Subject): Finding | undefined {
  const { object, events } = subject;
  if (textAt(object.spec, 'type') !== 'LoadBalancer' || listAt(object.status, 'loadBalancer', 'ingress').length > 0) return undefined;
  const warning = events.find(({ isWarning }) => isWarning);
  if (warning === undefined) return undefined;
  const why = excerpt(warning.message.replace(/^Error syncing load balancer: (?:failed to ensure load balancer: )?/, ''));
  return { rank: 'Reported', message: `gets no load balancer: ${why}`, ...sinceOf(warning.firstSeen) };
}

function ingressWithoutAddress({ object, events }: Subject): Finding | undefined {
  if (listAt(object.status, 'loadBalancer', 'ingress').length > 0) return undefined;
  const warning = events.find(({ isWarning }) => isWarning);
  if (warning !== undefined) {
    return { rank: 'Reported', message: `is not served: ${excerpt(warning.message)}`, ...sinceOf(warning.firstSeen) };
  }
  const name = textAt(object.spec, 'ingressClassName') ?? textAt(object.metadata, 'annotations', 'kubernetes.io/ingress.class');
  const why =
    name === undefined ? 'it names no IngressClass, and the cluster has no default one' : `no controller of IngressClass ${name} serves it`;
  return { rank: 'Warning', message: `has no address yet: ${why}`, ...sinceOf(object.metadata.creationTimestamp) };
}

function routeRejected({ object }: Subject): Finding | undefined {
  for (const parent of listAt(object.status, 'parents').slice(0, MAX_PARENTS)) {
    const broken = conditionsIn(at(parent, 'conditions')).find(
      ({ type, status }) => status === 'False' && ['Accepted', 'ResolvedRefs'].includes(type),
    );
    if (broken === undefined) continue;
    const verb = broken.type === 'Accepted' ? 'is rejected by' : 'has references that do not resolve at';
    const since = conditionSince({ ...object, status: parent }, broken.type, 'False');
    const message = `${verb} ${parentName(at(parent, 'parentRef'))}: ${excerpt(broken.message || broken.reason)}`;
    return { rank: 'Reported', message, ...sinceOf(since) };
  }
  return undefined;
}

const MAX_PARENTS = 50;

function parentName(ref: unknown): string {
  return `${textAt(ref, 'kind') ?? 'Gateway'} ${textAt(ref, 'name') ?? ''}`;
}

function routeUnattached({ placed, object, context }: Subject): Finding | undefined {
  const [first] = listAt(object.spec, 'parentRefs');
  const since = object.metadata.creationTimestamp;
  if (first === undefined) return { rank: 'Reported', message: 'names no parent, so that no Gateway serves it', ...sinceOf(since) };
  const missing = placed.edges.find((edge) => edge.class === 'ParentRef' && isMissing(edge, context));
  if (missing !== undefined) return blocked(`is attached to Gateway ${missing.named.name}, which does not exist`, since);
  if (listAt(object.status, 'parents').length > 0) return undefined;
  return { rank: 'Warning', message: `is not accepted by ${parentName(first)} yet`, ...sinceOf(since) };
}

function scaleTargetMissing({ placed, object, context }: Subject): Finding | undefined {
  const edge = placed.edges.find((one) => one.class === 'ScaleTarget' && isMissing(one, context));
  if (edge === undefined) return undefined;
  return blocked(`scales ${edge.named.kind.split('/')[1]} ${edge.named.name}, which does not exist`, object.metadata.creationTimestamp);
}

/** The Ingresses and routes of a tree that send traffic to a Service. */
export function routesTo(service: KubeObject, { placed }: Pick<CauseObjects, 'placed'>): Placed[] {
  return placed.filter(({ edges }) => edges.some((edge) => edge.class === 'Backend' && edge.target === service));
}

/** The Services of a tree that select a Pod. */
export function servicesOf(pod: KubeObject, { placed }: Pick<CauseObjects, 'placed'>): Placed[] {
  return placed.filter(
    ({ object, edges }) => kindKey(object) === '/Service' && edges.some((edge) => edge.class === 'Selector' && edge.target === pod),
  );
}
