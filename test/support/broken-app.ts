import type { JsonObject, KubeObject } from '../../src/domain/kubernetes/resource.ts';

/** What it is made of, what its kubelet or controller reports, and the sentence that names the true cause. */
export interface BrokenApp {
  readonly name: string;
  /** The namespace with a quota, a LimitRange and Pod Security. */
  readonly isLimited?: true;
  readonly objects: readonly KubeObject[];
  /** What real nodes and controllers would report, by the name of an object; the nodes of the tests are simulated. */
  readonly reports?: readonly Report[];
  /** Names that Kubernetes has made up are `*` at their end. */
  readonly sentence: string;
}

interface Report {
  readonly resource: string;
  readonly name: string;
  readonly status?: JsonObject;
  /** An event of the type Warning, unless it is `Normal`. */
  readonly event?: { readonly reason: string; readonly message: string; readonly type?: string };
}

export const RUN = process.pid.toString(36);
export const NS = `why-${RUN}`;
export const GROUP = `why-${RUN}.example.com`;
/** A StorageClass whose provisioner is away. */
export const SLOW = `slow-${RUN}`;
export const CRASH_LOG = 'Error: connect ECONNREFUSED 10.0.0.7:5432';
export const AT = '2026-11-22T08:00:00Z';
export const IMAGE = 'registry.example.com/shop:9';
/** Nobody schedules these Pods, so that nothing but the test reports about them. */
export const UNTOUCHED = { schedulerName: 'nobody' };

export function broken(name: string, sentence: string, objects: readonly KubeObject[], more: Partial<BrokenApp> = {}): BrokenApp {
  return { name, sentence, objects, ...more };
}

export function object(apiVersion: string, kind: string, name: string, rest: JsonObject = {}): KubeObject {
  const { metadata, ...members } = rest;
  return { apiVersion, kind, metadata: { ...(metadata as JsonObject | undefined), name }, ...members };
}

export function template(name: string, container: JsonObject = {}, pod: JsonObject = {}): JsonObject {
  return { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: IMAGE, ...container }], ...pod } };
}

/** Its one Pod is called `<name>-0`. */
export function statefulSet(name: string, container: JsonObject = {}, { claims, ...pod }: JsonObject = UNTOUCHED): KubeObject {
  const spec = { replicas: 1, serviceName: name, selector: { matchLabels: { app: name } }, template: template(name, container, pod) };
  return object('apps/v1', 'StatefulSet', name, { spec: { ...spec, ...(claims === undefined ? {} : { volumeClaimTemplates: claims }) } });
}

export function deployment(name: string, container: JsonObject = {}, { rollout, ...pod }: JsonObject = {}): KubeObject {
  const spec = { replicas: 1, selector: { matchLabels: { app: name } }, template: template(name, container, pod) };
  return object('apps/v1', 'Deployment', name, { spec: { ...spec, ...(rollout as JsonObject | undefined) } });
}

export function service(name: string, selector: JsonObject, ports: readonly JsonObject[] = [{ port: 80 }]): KubeObject {
  return object('v1', 'Service', name, { spec: { selector, ports } });
}

export function ingress(name: string, backend: JsonObject, rest: JsonObject = {}): KubeObject {
  const paths = [{ path: '/', pathType: 'Prefix', backend: { service: backend } }];
  return object('networking.k8s.io/v1', 'Ingress', name, { spec: { rules: [{ host: `${name}.example.com`, http: { paths } }], ...rest } });
}

/** A container of a Pod, as the kubelet reports it. */
export function container(name: string, state: JsonObject, rest: JsonObject = {}): JsonObject {
  return { name, image: IMAGE, imageID: '', ready: false, restartCount: 0, state, ...rest };
}

export function waiting(reason: string, message = ''): JsonObject {
  return { waiting: { reason, ...(message === '' ? {} : { message }) } };
}

export function terminated(exitCode: number, reason = 'Error', message = ''): JsonObject {
  return { terminated: { exitCode, reason, message, startedAt: AT, finishedAt: AT, containerID: 'containerd://1' } };
}

export function podStatus(name: string, containers: readonly JsonObject[], rest: JsonObject = {}): Report {
  const conditions = [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady', lastTransitionTime: AT, lastProbeTime: null }];
  return { resource: 'pods', name, status: { phase: 'Pending', startTime: AT, conditions, containerStatuses: containers, ...rest } };
}

export function podEvent(name: string, reason: string, message: string): Report {
  return { resource: 'pods', name, event: { reason, message } };
}

/** A Pod whose container is running and not ready. */
export function runningPod(name: string, rest: JsonObject = {}): Report {
  return podStatus(name, [container('main', { running: { startedAt: AT } }, rest)], { phase: 'Running' });
}

/** A Pod whose container has crashed and waits for its next start. */
export function crashingPod(name: string, ended: JsonObject, rest: JsonObject = {}): Report {
  const message = `back-off 40s restarting failed container=main pod=${name}`;
  return podStatus(name, [container('main', waiting('CrashLoopBackOff', message), { restartCount: 4, lastState: ended })], {
    phase: 'Running',
    ...rest,
  });
}
