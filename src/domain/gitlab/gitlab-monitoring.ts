import { AGE_COLUMN, type Kind, MESSAGE_COLUMN, READY_COLUMN, specOf } from '../kind/kind.ts';
import { conditionsField, generation, object, optional, text, type ValueOf } from '../kind/field.ts';
import { type KubeObject, oldestFirst } from '../kubernetes/resource.ts';
import { GITLAB_MONITORING } from '../kubernetes/resource-types.ts';
import { type Monitoring, prometheusField, queriesField } from '../monitoring/monitoring-field.ts';

const spec = object(
  {
    gitLabDeploymentRef: object(
      { name: text({ description: 'Its name.', minLength: 1, maxLength: 253 }) },
      { description: 'The GitLabDeployment whose environment is monitored.' },
    ),
    prometheus: optional(prometheusField('the namespace chandlery-system')),
    queries: queriesField,
  },
  { description: 'A Prometheus and the queries that the tab Monitoring of the environment draws.' },
);

const status = object(
  {
    observedGeneration: optional(generation({ description: 'The generation of the spec that this status is about.' })),
    conditions: conditionsField('the monitoring'),
  },
  { description: 'What the controller found. Written by the controller alone.' },
);

export const GITLAB_MONITORING_KIND: Kind<ValueOf<typeof spec>, ValueOf<typeof status>> = {
  type: GITLAB_MONITORING,
  shortNames: ['glmon'],
  description: 'A GitLabMonitoring is the monitoring of the environment of a GitLabDeployment. It becomes part of its Environment.',
  columns: [{ name: 'Deployment', type: 'string', jsonPath: '.spec.gitLabDeploymentRef.name' }, READY_COLUMN, MESSAGE_COLUMN, AGE_COLUMN],
  spec,
  status,
};

/** The name of the GitLabDeployment that it is of. Throws as `specOf`. */
export function deploymentOf(monitoring: KubeObject): string {
  return specOf(GITLAB_MONITORING_KIND, monitoring).gitLabDeploymentRef.name;
}

/** The one GitLabMonitoring that counts for a GitLabDeployment: the oldest. */
export function monitoringFor(deployment: string, all: readonly KubeObject[]): KubeObject | undefined {
  const own = all.filter((one) => one.metadata.deletionTimestamp === undefined && deploymentOf(one) === deployment);
  return own.sort(oldestFirst)[0];
}

/** What it adds to its Environment: its own queries, else the usual ones; undefined while it names no Prometheus. */
export function environmentMonitoring(monitoring: KubeObject): Monitoring | undefined {
  const { prometheus, queries } = specOf(GITLAB_MONITORING_KIND, monitoring);
  if (prometheus === undefined) return undefined;
  return { prometheus, queries: queries.length > 0 ? queries : USUAL_QUERIES };
}

const usual = (title: string, query: string, unit: Monitoring['queries'][number]['unit']): Monitoring['queries'][number] => ({
  title,
  query,
  unit,
  legend: '{{pod}}',
  description: '',
  thresholds: [],
});

/** Of the metrics that the kubelet and kube-state-metrics have. */
const USUAL_QUERIES: Monitoring['queries'] = [
  usual('CPU', 'sum by (pod) (rate(container_cpu_usage_seconds_total{namespace="$namespace", container!=""}[$interval]))', 'Cores'),
  usual('Memory', 'sum by (pod) (container_memory_working_set_bytes{namespace="$namespace", container!=""})', 'Bytes'),
  usual('Restarts', 'sum by (pod) (increase(kube_pod_container_status_restarts_total{namespace="$namespace"}[$interval]))', 'Count'),
];
