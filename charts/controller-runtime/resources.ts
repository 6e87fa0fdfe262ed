import type { Resource } from './kube-object.ts';

export const STATEFUL_SET: Resource = { group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets' };
export const SERVICE: Resource = { group: '', version: 'v1', kind: 'Service', plural: 'services' };
export const CONFIG_MAP: Resource = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
export const SECRET: Resource = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets' };
export const EVENT: Resource = { group: '', version: 'v1', kind: 'Event', plural: 'events' };
export const CLAIM: Resource = { group: '', version: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims' };
export const DISRUPTION_BUDGET: Resource = { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets' };
export const JOB: Resource = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs' };
export const CRON_JOB: Resource = { group: 'batch', version: 'v1', kind: 'CronJob', plural: 'cronjobs' };
