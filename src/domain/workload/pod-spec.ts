import { type Json, type JsonObject, type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';

/** The path to the spec of the pods that a kind makes. Other kinds are left alone: what their pods are, only their controllers know. */
const POD_SPECS: Readonly<Record<string, readonly string[]>> = {
  '/Pod': ['spec'],
  '/PodTemplate': ['template', 'spec'],
  '/ReplicationController': ['spec', 'template', 'spec'],
  'apps/DaemonSet': ['spec', 'template', 'spec'],
  'apps/Deployment': ['spec', 'template', 'spec'],
  'apps/ReplicaSet': ['spec', 'template', 'spec'],
  'apps/StatefulSet': ['spec', 'template', 'spec'],
  'batch/CronJob': ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
  'batch/Job': ['spec', 'template', 'spec'],
};

/** Gives another value, or the very same one. */
export type Change = (value: Json | undefined) => Json | undefined;

/** Changes the spec of the pods that each object makes. An object without a change is the very same one. */
export function changePodSpecs(objects: readonly KubeObject[], change: Change): readonly KubeObject[] {
  return objects.map((object) => {
    const path = POD_SPECS[`${parseApiVersion(object.apiVersion).group}/${object.kind}`];
    return path === undefined ? object : (changeAt(object, path, change) as KubeObject);
  });
}

/** A copy with another value at the path; the very same value when nothing is there or nothing changes. */
export function changeAt(value: unknown, path: readonly string[], change: Change): Json | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return change(value as Json | undefined);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key)) return value as Json | undefined;
  const member = (value as JsonObject)[key];
  const next = changeAt(member, rest, change);
  return next === member || next === undefined ? (value as JsonObject) : { ...(value as JsonObject), [key]: next };
}
