import { listInShort } from '../core/name-words.ts';
import { at, booleanAt, isObject, listAt, numberAt, objectAt, textAt, textsAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { kindKey } from '../tree/object-index.ts';
import { valuesAt } from '../tree/find-edges.ts';

/** A line of the summary of a resource. */
export interface ResourceFact {
  readonly label: string;
  /** Never empty; RFC 3339 where `format` is `time`. */
  readonly value: string;
  readonly format: 'text' | 'time';
}

type Read = (object: KubeObject) => string | undefined;
type Row = readonly [label: string, read: Read | string];

/** Lists of hostile objects have any length. */
const MAX_ITEMS = 20;
const MAX_VALUE_LENGTH = 1_000;

/** What a summary says, by kind: a label, and where its value is, a path or a function. Rows without a value are left out. */
const FACTS: Readonly<Record<string, readonly Row[]>> = {
  '/Pod': [
    ['Phase', 'status.phase'],
    ['Node', 'spec.nodeName'],
    ['IP', 'status.podIP'],
    ['Quality of service', 'status.qosClass'],
    ['Service account', 'spec.serviceAccountName'],
    ['Priority class', 'spec.priorityClassName'],
    ['Restart policy', 'spec.restartPolicy'],
    ['Started', time('status.startTime')],
  ],
  'apps/Deployment': [
    ['Replicas', replicas],
    ['Strategy', 'spec.strategy.type'],
    ['Max. unavailable', 'spec.strategy.rollingUpdate.maxUnavailable'],
    ['Max. surge', 'spec.strategy.rollingUpdate.maxSurge'],
    ['Paused', yes('spec.paused')],
    ['Selector', selector],
  ],
  'apps/ReplicaSet': [
    ['Replicas', replicas],
    ['Selector', selector],
  ],
  'apps/StatefulSet': [
    ['Replicas', replicas],
    ['Update strategy', 'spec.updateStrategy.type'],
    ['Pod management', 'spec.podManagementPolicy'],
    ['Service', 'spec.serviceName'],
    ['Selector', selector],
    ['Volume claim templates', (object) => names(listAt(object.spec, 'volumeClaimTemplates'), 'metadata', 'name')],
  ],
  'apps/DaemonSet': [
    ['Pods', daemonPods],
    ['Update strategy', 'spec.updateStrategy.type'],
    ['Selector', selector],
    ['Node selector', (object) => pairs(objectAt(object.spec, 'template', 'spec', 'nodeSelector'))],
  ],
  'batch/Job': [
    ['Completions', jobCompletions],
    ['Parallelism', 'spec.parallelism'],
    ['Active', 'status.active'],
    ['Failed', 'status.failed'],
    ['Backoff limit', 'spec.backoffLimit'],
    ['Suspended', yes('spec.suspend')],
    ['Started', time('status.startTime')],
    ['Completed', time('status.completionTime')],
  ],
  'batch/CronJob': [
    ['Schedule', 'spec.schedule'],
    ['Time zone', 'spec.timeZone'],
    ['Suspended', yes('spec.suspend')],
    ['Concurrency policy', 'spec.concurrencyPolicy'],
    ['Running jobs', (object) => names(listAt(object.status, 'active'), 'name')],
    ['Last run', time('status.lastScheduleTime')],
    ['Last success', time('status.lastSuccessfulTime')],
  ],
  '/Service': [
    ['Type', 'spec.type'],
    ['Cluster IP', 'spec.clusterIP'],
    ['External name', 'spec.externalName'],
    ['Load balancer', (object) => names(listAt(object.status, 'loadBalancer', 'ingress'), 'hostname') ?? loadBalancerIps(object)],
    ['Ports', servicePorts],
    ['Selector', (object) => pairs(objectAt(object.spec, 'selector'))],
  ],
  'networking.k8s.io/Ingress': [
    ['Class', 'spec.ingressClassName'],
    ['Address', (object) => names(listAt(object.status, 'loadBalancer', 'ingress'), 'hostname') ?? loadBalancerIps(object)],
    ['Rules', ingressRules],
    ['TLS', (object) => joined(listAt(object.spec, 'tls').flatMap((one) => textsAt(one, 'hosts')))],
  ],
  '/PersistentVolumeClaim': [
    ['Phase', 'status.phase'],
    ['Capacity', 'status.capacity.storage'],
    ['Requested', 'spec.resources.requests.storage'],
    ['Storage class', 'spec.storageClassName'],
    ['Access modes', (object) => joined(textsAt(object.spec, 'accessModes'))],
    ['Volume', 'spec.volumeName'],
    ['Volume mode', 'spec.volumeMode'],
  ],
  '/ConfigMap': [
    ['Keys', (object) => joined([...Object.keys(objectAt(object, 'data')), ...Object.keys(objectAt(object, 'binaryData'))])],
    ['Immutable', yes('immutable')],
  ],
  '/Secret': [['Keys', secretKeys]],
  '/ServiceAccount': [
    ['Secrets', (object) => names(listAt(object, 'secrets'), 'name')],
    ['Image pull secrets', (object) => names(listAt(object, 'imagePullSecrets'), 'name')],
  ],
  'autoscaling/HorizontalPodAutoscaler': [
    ['Scales', (object) => scaleTarget(objectAt(object.spec, 'scaleTargetRef'))],
    ['Replicas', autoscaledReplicas],
    ['Metrics', autoscalerMetrics],
    ['Last scaled', time('status.lastScaleTime')],
  ],
  'policy/PodDisruptionBudget': [
    ['Min. available', 'spec.minAvailable'],
    ['Max. unavailable', 'spec.maxUnavailable'],
    ['Healthy pods', (object) => outOf(numberAt(object.status, 'currentHealthy'), numberAt(object.status, 'desiredHealthy'), 'needed')],
    ['Disruptions allowed', 'status.disruptionsAllowed'],
    ['Selector', selector],
  ],
};

/** Whether the table has this kind; for all others the columns of the api-server say what there is. */
export function hasFacts(object: KubeObject): boolean {
  return Object.hasOwn(FACTS, kindKey(object));
}

/** The summary of a resource, out of what may be shown of it. */
export function factsOf(object: KubeObject): ResourceFact[] {
  return (FACTS[kindKey(object)] ?? []).flatMap(([label, read]) => {
    const value = typeof read === 'string' ? textOf(valuesAt(object, read)[0]?.value) : read(object);
    return value === undefined || value === '' ? [] : [factOf(label, value)];
  });
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** A fact whose format follows from its text. */
export function factOf(label: string, value: string): ResourceFact {
  const bounded = value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH).toWellFormed()}…` : value;
  return { label, value: bounded, format: TIME.test(bounded) ? 'time' : 'text' };
}

function textOf(value: unknown): string | undefined {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

function time(path: string): Read {
  return (object) => textOf(valuesAt(object, path)[0]?.value);
}

function yes(path: string): Read {
  return (object) => (valuesAt(object, path)[0]?.value === true ? 'yes' : undefined);
}

function joined(texts: readonly string[]): string | undefined {
  return texts.length === 0 ? undefined : listInShort(texts, MAX_ITEMS);
}

function names(list: readonly unknown[], ...path: readonly string[]): string | undefined {
  return joined(list.flatMap((one) => textAt(one, ...path) ?? []));
}

function pairs(object: Readonly<Record<string, unknown>>): string | undefined {
  return joined(Object.entries(object).map(([key, value]) => `${key}=${textOf(value) ?? ''}`));
}

function selector({ spec }: KubeObject): string | undefined {
  const expressions = listAt(spec, 'selector', 'matchExpressions').map((one) => {
    const [key = '', operator = ''] = [textAt(one, 'key'), textAt(one, 'operator')];
    const values = textsAt(one, 'values');
    return values.length === 0 ? `${operator} ${key}` : `${key} ${operator} (${values.join(', ')})`;
  });
  return [pairs(objectAt(spec, 'selector', 'matchLabels')) ?? [], expressions].flat().join(', ');
}

function outOf(have: number | undefined, wanted: number | undefined, word: string): string | undefined {
  return wanted === undefined ? undefined : `${have ?? 0} of ${wanted} ${word}`;
}

function replicas({ spec, status }: KubeObject): string {
  const wanted = numberAt(spec, 'replicas') ?? 1;
  const parts = [`${numberAt(status, 'readyReplicas') ?? 0} of ${wanted} ready`];
  const [updated, available] = [numberAt(status, 'updatedReplicas'), numberAt(status, 'availableReplicas')];
  if (updated !== undefined) parts.push(`${updated} updated`);
  if (available !== undefined) parts.push(`${available} available`);
  return parts.join(', ');
}

function daemonPods({ status }: KubeObject): string | undefined {
  const ready = outOf(numberAt(status, 'numberReady'), numberAt(status, 'desiredNumberScheduled'), 'ready');
  return ready === undefined ? undefined : `${ready}, ${numberAt(status, 'updatedNumberScheduled') ?? 0} updated`;
}

function jobCompletions({ spec, status }: KubeObject): string | undefined {
  return outOf(numberAt(status, 'succeeded'), numberAt(spec, 'completions'), 'succeeded');
}

function loadBalancerIps({ status }: KubeObject): string | undefined {
  return names(listAt(status, 'loadBalancer', 'ingress'), 'ip');
}

function servicePorts({ spec }: KubeObject): string | undefined {
  const ports = listAt(spec, 'ports').map((port) => {
    const target = textOf(at(port, 'targetPort'));
    const name = textAt(port, 'name');
    const node = numberAt(port, 'nodePort');
    return [
      `${numberAt(port, 'port') ?? ''}/${textAt(port, 'protocol') ?? 'TCP'}`,
      ...(name === undefined ? [] : [`(${name})`]),
      ...(target === undefined ? [] : [`→ ${target}`]),
      ...(node === undefined ? [] : [`at node port ${node}`]),
    ].join(' ');
  });
  return joined(ports);
}

function ingressRules({ spec }: KubeObject): string | undefined {
  const rules = listAt(spec, 'rules').flatMap((rule) =>
    listAt(rule, 'http', 'paths').map((path) => {
      const port = textOf(at(path, 'backend', 'service', 'port', 'number')) ?? textAt(path, 'backend', 'service', 'port', 'name');
      const service = textAt(path, 'backend', 'service', 'name') ?? textAt(path, 'backend', 'resource', 'name') ?? '';
      return `${textAt(rule, 'host') ?? '*'}${textAt(path, 'path') ?? '/'} → ${service}${port === undefined ? '' : `:${port}`}`;
    }),
  );
  return joined(rules);
}

function scaleTarget(target: Readonly<Record<string, unknown>>): string {
  return `${textAt(target, 'kind') ?? ''} ${textAt(target, 'name') ?? ''}`.trim();
}

function autoscaledReplicas({ spec, status }: KubeObject): string {
  const range = `${numberAt(spec, 'minReplicas') ?? 1} to ${numberAt(spec, 'maxReplicas') ?? '?'}`;
  return `${numberAt(status, 'currentReplicas') ?? 0} now, ${range} allowed`;
}

function autoscalerMetrics({ spec, status }: KubeObject): string | undefined {
  const current = listAt(status, 'currentMetrics');
  const metrics = listAt(spec, 'metrics').flatMap((metric, index) => {
    const source = Object.values(objectAt(metric)).find(isObject);
    const name = textAt(source, 'name') ?? textAt(source, 'metric', 'name') ?? textAt(metric, 'type') ?? '';
    const wanted = metricValue(objectAt(source, 'target'));
    const now = metricValue(objectAt(Object.values(objectAt(current[index])).find(isObject), 'current'));
    return [`${name} ${now ?? 'unknown'} of ${wanted ?? '?'}`];
  });
  return joined(metrics);
}

function metricValue(value: Readonly<Record<string, unknown>>): string | undefined {
  const percent = numberAt(value, 'averageUtilization');
  return percent === undefined ? (textAt(value, 'averageValue') ?? textAt(value, 'value')) : `${percent} %`;
}

/** Of a Secret only the metadata is read; which keys it has is in the list of who manages which field. */
function secretKeys(object: KubeObject): string | undefined {
  const keys = listAt(object.metadata, 'managedFields').flatMap((entry) =>
    ['f:data', 'f:stringData'].flatMap((field) => Object.keys(objectAt(entry, 'fieldsV1', field))),
  );
  return joined([...new Set(keys.filter((key) => key.startsWith('f:')).map((key) => key.slice(2)))].sort());
}

/** A container of a pod or of a pod template. */
export interface ContainerView {
  readonly name: string;
  readonly type: 'Container' | 'InitContainer' | 'EphemeralContainer';
  readonly image: string;
  /** `Running`, `Waiting: CrashLoopBackOff`; empty in a template. */
  readonly state: string;
  readonly ready: boolean;
  readonly restarts: number;
  /** Such as `Readiness: GET /healthz at port 8080`. */
  readonly probes: readonly string[];
  readonly requests: string;
  readonly limits: string;
  readonly ports: string;
}

const LISTS = [
  ['initContainers', 'InitContainer', 'initContainerStatuses'],
  ['containers', 'Container', 'containerStatuses'],
  ['ephemeralContainers', 'EphemeralContainer', 'ephemeralContainerStatuses'],
] as const;
const MAX_CONTAINERS = 50;

/** The containers of a pod, or of the template of a workload. @param podSpec where the object keeps its PodSpec: `spec.template.spec`. */
export function containersOf(object: KubeObject, podSpec: string | undefined): ContainerView[] {
  const spec = podSpec === undefined ? undefined : valuesAt(object, podSpec)[0]?.value;
  return LISTS.flatMap(([list, type, statuses]) =>
    listAt(spec, list).map((container) => {
      const name = textAt(container, 'name') ?? '';
      const status = listAt(object.status, statuses).find((one) => textAt(one, 'name') === name);
      return containerView(container, { name, type, status });
    }),
  ).slice(0, MAX_CONTAINERS);
}

function containerView(
  container: unknown,
  { name, type, status }: Pick<ContainerView, 'name' | 'type'> & { readonly status: unknown },
): ContainerView {
  const ports = listAt(container, 'ports').map((port) => `${numberAt(port, 'containerPort') ?? ''}/${textAt(port, 'protocol') ?? 'TCP'}`);
  return {
    name,
    type,
    image: textAt(container, 'image') ?? '',
    state: stateOf(status),
    ready: booleanAt(status, 'ready') === true,
    restarts: numberAt(status, 'restartCount') ?? 0,
    probes: [
      ['Startup', 'startupProbe'],
      ['Readiness', 'readinessProbe'],
      ['Liveness', 'livenessProbe'],
    ].flatMap(([label = '', key = '']) => {
      const probe = at(container, key);
      return isObject(probe) ? [`${label}: ${probeWords(probe)}`] : [];
    }),
    requests: pairs(objectAt(container, 'resources', 'requests')) ?? '',
    limits: pairs(objectAt(container, 'resources', 'limits')) ?? '',
    ports: joined(ports) ?? '',
  };
}

function stateOf(status: unknown): string {
  const [state] = Object.entries(objectAt(status, 'state'));
  if (state === undefined) return '';
  const [word, detail] = state;
  const reason = textAt(detail, 'reason') ?? '';
  const code = numberAt(detail, 'exitCode');
  const why = [reason, code === undefined ? '' : `exit code ${code}`].filter((text) => text !== '').join(', ');
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}${why === '' ? '' : `: ${why}`}`;
}

function probeWords(probe: Readonly<Record<string, unknown>>): string {
  const port = (kind: string): string => textOf(at(probe, kind, 'port')) ?? '?';
  const every = `every ${numberAt(probe, 'periodSeconds') ?? 10} s`;
  if (isObject(probe['httpGet'])) return `GET ${textAt(probe, 'httpGet', 'path') ?? '/'} at port ${port('httpGet')}, ${every}`;
  if (isObject(probe['tcpSocket'])) return `TCP at port ${port('tcpSocket')}, ${every}`;
  if (isObject(probe['grpc'])) return `gRPC at port ${port('grpc')}, ${every}`;
  return `command ${textsAt(probe, 'exec', 'command').join(' ').slice(0, 200)}, ${every}`;
}
