import { at, isObject, listAt, objectAt, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** What the cluster writes into a pod, and does not take back in a new one. */
const WRITTEN = [
  'nodeName',
  'serviceAccountName',
  'serviceAccount',
  'priority',
  'preemptionPolicy',
  'overhead',
  'ephemeralContainers',
  'hostname',
  'subdomain',
] as const;
const TOKEN_VOLUME = /^kube-api-access-/;
const LIMIT_RANGER = 'kubernetes.io/limit-ranger';

/**
 * A pod that runs, or one made of a template, as a new one in another namespace: without its account, which is not there, and without what admission
 * wrote into it where it is.
 */
export function asDryRunPod({ metadata, spec }: KubeObject, namespace: string): KubeObject {
  const { [LIMIT_RANGER]: ranged = '', ...annotations } = metadata.annotations ?? {};
  const own = Object.fromEntries(Object.entries(isObject(spec) ? spec : {}).filter(([key]) => !WRITTEN.some((written) => written === key)));
  const defaults = defaultedIn(ranged);
  const containers = (key: string): object =>
    Object.hasOwn(own, key) ? { [key]: listAt(own, key).map((container) => containerLike(container, defaults)) } : {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${metadata.name.slice(0, 50)}-check`,
      namespace,
      ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
      annotations,
    },
    spec: {
      ...own,
      ...containers('containers'),
      ...containers('initContainers'),
      volumes: listAt(own, 'volumes').filter((volume) => !TOKEN_VOLUME.test(textAt(volume, 'name') ?? '')),
      automountServiceAccountToken: false,
    },
  };
}

/** `container: request cpu`, as limit ranges of its own namespace set it. */
type Defaulted = ReadonlySet<string>;

/** Reads `LimitRanger plugin set: cpu, memory request for container main; cpu limit for container main`. */
function defaultedIn(annotation: string): Defaulted {
  const clauses = annotation.replace(/^[^:]*: /, '').split('; ');
  return new Set(
    clauses.flatMap((clause) => {
      const [, resources = '', part, container] = /^(.*) (request|limit) for (?:init )?container (\S+)$/.exec(clause) ?? [];
      return container === undefined ? [] : resources.split(', ').map((resource) => `${container}: ${part}s ${resource}`);
    }),
  );
}

function containerLike(container: unknown, defaults: Defaulted): object {
  if (!isObject(container)) return {};
  const name = textAt(container, 'name') ?? '';
  const left = (part: string): object =>
    Object.fromEntries(Object.entries(objectAt(container, 'resources', part)).filter(([key]) => !defaults.has(`${name}: ${part} ${key}`)));
  return {
    ...container,
    ...(Object.hasOwn(container, 'resources') ? { resources: { requests: left('requests'), limits: left('limits') } } : {}),
    volumeMounts: listAt(container, 'volumeMounts').filter((mount) => !TOKEN_VOLUME.test(textAt(mount, 'name') ?? '')),
  };
}

const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['template'],
  StatefulSet: ['template'],
  DaemonSet: ['template'],
  ReplicaSet: ['template'],
  Job: ['template'],
  CronJob: ['jobTemplate', 'spec', 'template'],
};

/** A Pod as a workload would make it, in its own namespace or the one given; undefined for what makes no pods. */
export function podOf({ kind, metadata, spec }: KubeObject, namespace: string): KubeObject | undefined {
  const path = Object.hasOwn(TEMPLATES, kind) ? TEMPLATES[kind] : undefined;
  const template = path === undefined ? undefined : at(spec, ...path);
  if (!isObject(template)) return undefined;
  const { labels, annotations } = objectAt(template, 'metadata');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${metadata.name.slice(0, 50)}-check`,
      namespace: metadata.namespace ?? namespace,
      ...(isObject(labels) ? { labels: labels as Record<string, string> } : {}),
      ...(isObject(annotations) ? { annotations: annotations as Record<string, string> } : {}),
    },
    spec: { ...objectAt(template, 'spec'), ...claimVolumes(spec, objectAt(template, 'spec')) },
  };
}

/** The volumes of a StatefulSet's claims, which its pods have beside those of the template, or instead of them. */
function claimVolumes(spec: unknown, template: object): object {
  const names = listAt(spec, 'volumeClaimTemplates').flatMap((claim) => textAt(claim, 'metadata', 'name') ?? []);
  if (names.length === 0) return {};
  const others = listAt(template, 'volumes').filter((volume) => !names.includes(textAt(volume, 'name') ?? ''));
  return { volumes: [...others, ...names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))] };
}
