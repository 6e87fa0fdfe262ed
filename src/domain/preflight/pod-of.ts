import { at, isObject, objectAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

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
    spec: { ...objectAt(template, 'spec') },
  };
}
