import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { startEmbeddedCluster, type EmbeddedCluster } from '../../src/embedded/cluster/embedded-cluster.ts';
import { commandLine } from '../../src/embedded/cluster/process-table.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { openKube } from '../support/open-kube.ts';
import { createLog } from '../../src/observe/log.ts';
import { repoRoot } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';

// Runs in test:all: it kills and restarts the programs of a cluster.

const PROGRAMS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'];
const configMaps: ResourceType = { group: '', version: 'v1', resource: 'configmaps' };
const log = createLog({ level: 'silent', format: 'json', write: () => undefined });

let folder: string;
/** The one that outlives its first owner, which later tests kill parts of and compare with another. */
let survivor: EmbeddedCluster | undefined;

before(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'chandlery-embedded-')));
});
after(async () => {
  await survivor?.stop();
  await rm(folder, { recursive: true });
});

test('what was written is there after a restart, at the same address, and no process is left in between', async () => {
  const stateDir = join(folder, 'restart');
  const first = await start(stateDir);
  await write(first, 'kept');
  const pids = await pidsOf(stateDir);
  assert.equal(pids.length, PROGRAMS.length);
  await first.stop();
  assert.deepEqual(
    await Promise.all(pids.map(commandLine)),
    PROGRAMS.map(() => undefined),
  );
  const second = await start(stateDir);
  assert.equal(second.server, first.server);
  assert.equal(await read(second, 'kept'), 'kept');
  await second.stop();
});

test('a cluster whose port was taken while it was away moves with what was written, and its new kubeconfig is right', async () => {
  const stateDir = join(folder, 'restart');
  const { apiServer } = JSON.parse(await readFile(join(stateDir, 'run', 'ports.json'), 'utf8')) as { apiServer: number };
  const squatter = createServer().listen(apiServer, '127.0.0.1');
  await once(squatter, 'listening');
  const cluster = await start(stateDir);
  assert.notEqual(new URL(cluster.server).port, String(apiServer));
  assert.equal(await read(cluster, 'kept'), 'kept');
  await cluster.stop();
  squatter.close();
});

test('after a kill the next start ends what was left, and begins with the same state', async () => {
  const stateDir = join(folder, 'killed');
  const home = join(folder, 'home');
  const owner = startProcess(stateDir, home);
  const { server } = await firstLine(owner);
  assert.ok(server !== undefined);
  await write({ kubeconfigPath: join(stateDir, 'kubeconfig') }, 'survivor');
  const rejected = await firstLine(startProcess(stateDir, home));
  assert.match(rejected.failure ?? '', new RegExp(`process ${owner.pid} uses it`));
  const left = await pidsOf(stateDir);
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  assert.ok(
    (await Promise.all(left.map(commandLine))).every((line) => line !== undefined),
    'the programs outlive a killed parent',
  );

  survivor = await start(stateDir);
  assert.equal(survivor.server, server);
  assert.equal(await read(survivor, 'survivor'), 'survivor');
  const now = await pidsOf(stateDir);
  assert.deepEqual(
    (await Promise.all(left.filter((pid) => !now.includes(pid)).map(commandLine))).filter((line) => line !== undefined),
    [],
  );
  await assert.rejects(stat(home), { code: 'ENOENT' });
});

test('an api-server or etcd that is killed comes back by itself with all its data', async () => {
  const cluster = survivor ?? assert.fail('it did not start');
  for (const program of ['kube-apiserver', 'etcd']) {
    const pid = await pidOf(cluster.stateDir, program);
    process.kill(pid, 'SIGKILL');
    await eventually(async () => (await pidOf(cluster.stateDir, program)) !== pid, `${program} has another process`);
    assert.equal(await eventually(() => read(cluster, 'survivor'), 'the config map can be read'), 'survivor');
  }
});

test('a reset forgets what was written, and of two clusters side by side neither knows what the other has', async () => {
  const beside = survivor ?? assert.fail('it did not start');
  const cluster = await start(join(folder, 'restart'), { reset: true });
  assert.notEqual(cluster.server, beside.server);
  assert.equal(await read(cluster, 'kept'), 'nothing');
  await write(cluster, 'kept');
  assert.deepEqual([await read(cluster, 'survivor'), await read(beside, 'kept')], ['nothing', 'nothing']);
  await cluster.stop();
});

test('a start that is given up leaves neither a process nor a lock', async () => {
  const stateDir = join(folder, 'given-up');
  await assert.rejects(start(stateDir, { signal: AbortSignal.timeout(300) }), /interrupted/);
  assert.deepEqual(await pidsOf(stateDir), []);
  assert.deepEqual(await readdir(join(stateDir, 'lock')), []);
});

async function start(stateDir: string, options: { reset?: boolean; signal?: AbortSignal } = {}): Promise<EmbeddedCluster> {
  return startEmbeddedCluster({ stateDir, tools: await loadTools(repoRoot), durability: 'kept', log, ...options });
}

function startProcess(stateDir: string, home: string): ChildProcess {
  const script = join(import.meta.dirname, '..', 'support', 'cluster-process.ts');
  return spawn(process.execPath, [script, stateDir], { stdio: ['ignore', 'pipe', 'inherit'], env: { HOME: home } });
}

async function firstLine({ stdout }: ChildProcess): Promise<{ server?: string; failure?: string }> {
  assert.ok(stdout !== null);
  const [line] = (await once(createInterface({ input: stdout }), 'line')) as [string];
  return JSON.parse(line) as { server?: string; failure?: string };
}

async function pidsOf(stateDir: string): Promise<number[]> {
  const names = (await readdir(join(stateDir, 'run'))).filter((name) => name.endsWith('.pid'));
  return Promise.all(names.map((name) => pidOf(stateDir, name.slice(0, -'.pid'.length))));
}

async function pidOf(stateDir: string, program: string): Promise<number> {
  return Number(await readFile(join(stateDir, 'run', `${program}.pid`), 'utf8'));
}

async function write({ kubeconfigPath }: Pick<EmbeddedCluster, 'kubeconfigPath'>, name: string): Promise<void> {
  const kube = openKube(kubeconfigPath, { userAgent: 'chandlery/test' });
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name }, data: { name } };
  await eventually(() => kube.asController().apply(configMaps, object, { fieldManager: 'test' }), 'the config map is written');
  await kube.close();
}

async function read({ kubeconfigPath }: Pick<EmbeddedCluster, 'kubeconfigPath'>, name: string): Promise<string> {
  const kube = openKube(kubeconfigPath, { userAgent: 'chandlery/test' });
  try {
    const maps = await kube.asController().list(configMaps, { namespace: 'default', fieldSelector: `metadata.name=${name}` });
    return (maps.items[0]?.['data'] as { name?: string } | undefined)?.name ?? 'nothing';
  } finally {
    await kube.close();
  }
}
