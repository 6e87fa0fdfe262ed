import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';

/** What Chandlery counts. Labels have few values: route patterns, never paths or names. */
export interface Metrics {
  /** @param route the pattern of the route, e.g. `/environments/{environment}`. */
  httpAnswered(answer: { readonly method: string; readonly route: string; readonly status: number }, seconds: number): void;
  reconciled(controller: string, outcome: string, seconds: number): void;
  helmRan(command: string, outcome: 'succeeded' | 'failed', seconds: number): void;
  /** The lease of a release was lost while the release was changed. */
  leaseLost(): void;
  /** @param answer its status is 0 where none came. */
  apiServerAnswered(answer: { readonly method: string; readonly status: number }, seconds: number): void;
  /** @param read is called whenever somebody reads the metrics, until the function that comes back ends it. */
  measure(read: () => readonly Measured[]): () => void;
  /** Whether the cluster answered when it was last asked. */
  clusterReachable(reachable: 'yes' | 'no'): void;
  /** Whether this process runs the controllers. */
  leading(leads: 'leads' | 'waits'): void;
  /** Whether the issuer answered when it was last asked. */
  issuerReachable(reachable: 'yes' | 'no'): void;
  /** Whether the database answered when it was last asked; on one machine there is none, and its files always do. */
  databaseReachable(reachable: 'yes' | 'no'): void;
  /** The text for Prometheus and its content type. */
  text(): Promise<{ readonly body: string; readonly contentType: string }>;
}

/** A value that is looked up when somebody reads the metrics. */
export interface Measured {
  readonly gauge: keyof typeof GAUGES;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const GAUGES = {
  chandlery_operators: { help: 'Operators by status', labelNames: ['status'] },
  chandlery_catalog_faults: { help: 'Faults in the files of CatalogSources', labelNames: ['source'] },
  chandlery_catalog_pending_removals: {
    help: 'Resources of CatalogSources without a document that are not removed yet',
    labelNames: ['source'],
  },
  chandlery_queue_keys: {
    help: 'Resources that wait for a controller (waiting) or are worked on (active)',
    labelNames: ['controller', 'state'],
  },
} as const;

const HTTP_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const WORK_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300];

const HISTOGRAMS = {
  http: {
    name: 'chandlery_http_request_duration_seconds',
    help: 'Time to answer HTTP requests',
    labelNames: ['method', 'route', 'status'],
    buckets: HTTP_BUCKETS,
  },
  reconcile: {
    name: 'chandlery_reconcile_duration_seconds',
    help: 'Time of reconciliations by outcome',
    labelNames: ['controller', 'outcome'],
    buckets: WORK_BUCKETS,
  },
  helm: {
    name: 'chandlery_helm_duration_seconds',
    help: 'Time of runs of the helm program',
    labelNames: ['command', 'outcome'],
    buckets: WORK_BUCKETS,
  },
  apiServer: {
    name: 'chandlery_apiserver_request_duration_seconds',
    help: 'Time until the api-server answered; the status is 0 where no answer came',
    labelNames: ['method', 'status'],
    buckets: HTTP_BUCKETS,
  },
};

/** Makes a registry of its own, with the metrics of the process itself. */
export function createMetrics({ version }: { readonly version: string }): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const build = new Gauge({
    name: 'chandlery_build_info',
    help: 'The running version; always 1',
    labelNames: ['version', 'node'],
    registers,
  });
  build.set({ version, node: process.version }, 1);
  const histogram = (of: keyof typeof HISTOGRAMS): Histogram<string> => new Histogram<string>({ ...HISTOGRAMS[of], registers });
  const [http, reconcile, helm, apiServer] = [histogram('http'), histogram('reconcile'), histogram('helm'), histogram('apiServer')];
  const reachable = new Gauge({ name: 'chandlery_cluster_reachable', help: 'Whether the cluster answered when last asked', registers });
  const issuer = new Gauge({ name: 'chandlery_issuer_reachable', help: 'Whether the issuer answered when last asked', registers });
  const database = new Gauge({ name: 'chandlery_database_reachable', help: 'Whether the database answered when last asked', registers });
  const leader = new Gauge({ name: 'chandlery_leader', help: 'Whether this process runs the controllers', registers });
  const leases = new Counter({
    name: 'chandlery_leases_lost_total',
    help: 'Leases of releases lost while the release was changed',
    registers,
  });
  return {
    leaseLost: () => leases.inc(),
    httpAnswered: ({ method, route, status }, seconds) => http.observe({ method, route, status: String(status) }, seconds),
    reconciled: (controller, outcome, seconds) => reconcile.observe({ controller, outcome }, seconds),
    helmRan: (command, outcome, seconds) => helm.observe({ command, outcome }, seconds),
    apiServerAnswered: ({ method, status }, seconds) => apiServer.observe({ method, status: String(status) }, seconds),
    clusterReachable: (answer) => reachable.set(answer === 'yes' ? 1 : 0),
    leading: (leads) => leader.set(leads === 'leads' ? 1 : 0),
    issuerReachable: (answer) => issuer.set(answer === 'yes' ? 1 : 0),
    databaseReachable: (answer) => database.set(answer === 'yes' ? 1 : 0),
    ...measuring(registry),
  };
}

function measuring(registry: Registry): Pick<Metrics, 'measure' | 'text'> {
  const gauges = Object.entries(GAUGES).map(([name, { help, labelNames }]) => {
    return [name, new Gauge({ name, help, labelNames: [...labelNames] as string[], registers: [registry] })] as const;
  });
  const reads = new Set<() => readonly Measured[]>();
  return {
    measure: (read) => {
      reads.add(read);
      return () => void reads.delete(read);
    },
    text: async () => {
      const measured = [...reads].flatMap((read) => read());
      for (const [name, gauge] of gauges) {
        gauge.reset();
        for (const { labels, value } of measured.filter((one) => one.gauge === name)) gauge.set(labels, value);
      }
      return { body: await registry.metrics(), contentType: registry.contentType };
    },
  };
}
