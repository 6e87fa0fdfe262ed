import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChartLibrary } from '../../src/chart/chart-library.ts';
import { createUpgradePreviews } from '../../src/compose/create-ports.ts';
import { indexEnvironments } from '../../src/compose/index-environments.ts';
import { createCatalogCache } from '../../src/kube/watch/catalog-cache.ts';
import { createLog } from '../../src/observe/log.ts';
import { catalogRules, createHealthEvaluator } from '../../src/operation/health/health-evaluator.ts';
import { createNamespaceMemory } from '../../src/operation/environment/namespace-memory.ts';
import type { Ports } from '../../src/operation/ports.ts';
import { sharedCluster, type TestCluster } from './cluster.ts';
import { eventually } from './eventually.ts';
import { startOperatorWorld, type OperatorWorld } from './operator-world.ts';
import { NO_DEPLOYMENTS, sampleAuditLog } from './sample-audit-log.ts';

/** A world of Operators with what previews and checks of charts need. */
export interface PreviewWorld {
  readonly cluster: TestCluster;
  readonly operators: OperatorWorld;
  readonly ports: Omit<Ports, 'accessTokens' | 'kubectl' | 'changeRequests' | 'savedConfigurations' | 'proposals' | 'sourcePreviews'>;
  /** For files of the test. */
  readonly folder: string;
  /** Resolves when the catalogue has been read. */
  catalogSynced(): Promise<void>;
  stop(): Promise<void>;
}

/** @param namespaces which Operators are reconciled, as `startOperatorWorld`. */
export async function startPreviewWorld(namespaces: string): Promise<PreviewWorld> {
  const ending = new AbortController();
  const cluster = await sharedCluster();
  const { helm } = cluster.tools;
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-previews-'));
  const operators = await startOperatorWorld({ kubeconfigPath: cluster.kubeconfigPath, helm, namespaces });
  const { kube, chartsDir } = operators;
  const log = createLog({ level: 'silent', format: 'lines', write: () => undefined });
  const charts = await createChartLibrary({ cacheDir: join(folder, 'cache'), roots: { samples: chartsDir }, mirrors: [], allowEgress: [] });
  const metrics = { helmRan: () => undefined };
  const upgrades = await createUpgradePreviews({ kube, charts, helm, stateDir: folder, log, metrics });
  const catalog = createCatalogCache(kube, log, ending.signal);
  return {
    cluster,
    operators,
    ports: {
      clusters: kube,
      discovery: kube,
      catalog,
      chart: async () => undefined,
      upgrades,
      auditLog: sampleAuditLog(),
      deployments: NO_DEPLOYMENTS,
      namespaceMemory: createNamespaceMemory(),
      health: createHealthEvaluator({ rules: catalogRules(catalog) }),
      index: indexEnvironments({ kube, clusters: kube, log, signal: ending.signal }),
      metrics: { connect: () => Promise.reject(new Error('no Prometheus here')), now: Date.now },
      publicUrl: 'http://localhost:8080',
    },
    folder,
    catalogSynced: async () => void (await eventually(async () => catalog.synced(), 'the catalogue is read')),
    stop: async () => {
      ending.abort();
      await operators.stop();
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
