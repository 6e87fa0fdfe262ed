import { collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';

/** What Chandlery counts. Labels have few values: route patterns, never paths or names. */
export interface Metrics {
  /** @param route the pattern of the route, e.g. `/environments/{environment}`. */
  httpAnswered(answer: { readonly method: string; readonly route: string; readonly status: number }, seconds: number): void;
  reconciled(controller: string, outcome: string, seconds: number): void;
  helmRan(command: string, outcome: 'succeeded' | 'failed', seconds: number): void;
  /** Whether the cluster answered when it was last asked. */
  clusterReachable(reachable: 'yes' | 'no'): void;
  /** Whether the issuer answered when it was last asked. */
  issuerReachable(reachable: 'yes' | 'no'): void;
  /** The text for Prometheus and its content type. */
  text(): Promise<{ readonly body: string; readonly contentType: string }>;
}

const HTTP_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const WORK_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300];

/** Makes a registry of its own, with the metrics of the process itself. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const http = new Histogram({
    name: 'chandlery_http_request_duration_seconds',
    help: 'Time to answer HTTP requests',
    labelNames: ['method', 'route', 'status'],
    buckets: HTTP_BUCKETS,
    registers,
  });
  const reconcile = new Histogram({
    name: 'chandlery_reconcile_duration_seconds',
    help: 'Time of reconciliations by outcome',
    labelNames: ['controller', 'outcome'],
    buckets: WORK_BUCKETS,
    registers,
  });
  const helm = new Histogram({
    name: 'chandlery_helm_duration_seconds',
    help: 'Time of runs of the helm program',
    labelNames: ['command', 'outcome'],
    buckets: WORK_BUCKETS,
    registers,
  });
  const reachable = new Gauge({ name: 'chandlery_cluster_reachable', help: 'Whether the cluster answered when last asked', registers });
  const issuer = new Gauge({ name: 'chandlery_issuer_reachable', help: 'Whether the issuer answered when last asked', registers });
  return {
    httpAnswered: ({ method, route, status }, seconds) => http.observe({ method, route, status: String(status) }, seconds),
    reconciled: (controller, outcome, seconds) => reconcile.observe({ controller, outcome }, seconds),
    helmRan: (command, outcome, seconds) => helm.observe({ command, outcome }, seconds),
    clusterReachable: (answer) => reachable.set(answer === 'yes' ? 1 : 0),
    issuerReachable: (answer) => issuer.set(answer === 'yes' ? 1 : 0),
    text: async () => ({ body: await registry.metrics(), contentType: registry.contentType }),
  };
}
