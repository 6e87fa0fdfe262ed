import { mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmbeddedCluster, type EmbeddedCluster, type EmbeddedClusterOptions } from '../../src/embedded/cluster/embedded-cluster.ts';
import { claimStateFolder } from '../../src/embedded/cluster/state-folder.ts';
import { loadTools, type ToolPaths } from '../../src/embedded/cluster/tools.ts';
import { createLog } from '../../src/observe/log.ts';

/** A control plane for tests. */
export interface TestCluster {
  readonly stateDir: string;
  readonly kubeconfigPath: string;
  readonly auditLogPath: string;
  readonly tools: ToolPaths;
  /** Call it in an `after` hook. Does nothing to a cluster that others share. */
  stop(): Promise<void>;
}

export const repoRoot = resolve(import.meta.dirname, '..', '..');
const PREFIX = 'chandlery-test-';
const YOUNG_MS = 60_000;

let shared: Promise<TestCluster> | undefined;

/**
 * The cluster of this test process: the one whose state folder `CHANDLERY_TEST_STATE` names, so that a whole run can share one; else a
 * throw-away one that starts now. Tests keep apart by namespaces and names of their own.
 */
export async function sharedCluster(): Promise<TestCluster> {
  shared ??= connectOrStart(process.env['CHANDLERY_TEST_STATE']);
  return shared;
}

async function connectOrStart(stateDir: string | undefined): Promise<TestCluster> {
  const tools = await loadTools(repoRoot);
  if (stateDir === undefined || stateDir === '') return { ...(await startThrowawayCluster(tools)), tools };
  const files = { stateDir, kubeconfigPath: join(stateDir, 'kubeconfig'), auditLogPath: join(stateDir, 'audit.log') };
  return { ...files, tools, stop: () => Promise.resolve() };
}

/** Starts a cluster in a temporary folder that goes with it; also when the process ends without `stop()`. Those of one prefix sweep up after one another. */
export async function startThrowawayCluster(
  tools: ToolPaths,
  prefix = PREFIX,
  options: Pick<EmbeddedClusterOptions, 'controllers'> = {},
): Promise<EmbeddedCluster> {
  await sweepAbandoned(prefix);
  const stateDir = await mkdtemp(join(await realpath(tmpdir()), prefix));
  const cluster = await startEmbeddedCluster({ stateDir, tools, durability: 'throwaway', log: testLog(), ...options });
  const remove = (): void => rmSync(stateDir, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', remove);
  const stop = async (): Promise<void> => {
    await cluster.stop();
    await rm(stateDir, { recursive: true, force: true });
    process.off('exit', remove);
  };
  return { ...cluster, stop };
}

/** Only what goes wrong. */
function testLog(): ReturnType<typeof createLog> {
  return createLog({ level: 'warn', format: 'lines', write: (text) => process.stderr.write(text) });
}

/** Removes what killed test runs left behind, programs included. Folders in use are somebody else's, and young ones may be about to be. */
async function sweepAbandoned(prefix: string): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  for (const name of names) {
    const path = join(tmpdir(), name);
    try {
      if (Date.now() - (await stat(path)).mtimeMs < YOUNG_MS) continue;
      await claimStateFolder(path, { patienceMs: 0 });
      await rm(path, { recursive: true, force: true });
    } catch {
      continue;
    }
  }
}
