import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { textAt } from '../../src/domain/core/read.ts';
import type { Cluster } from '../../src/domain/kubernetes/cluster.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { NAMESPACE } from '../../src/domain/kubernetes/resource-types.ts';
import { pidFile } from '../../src/embedded/cluster/leftovers.ts';
import { commandLine } from '../../src/embedded/cluster/process-table.ts';
import { runLocalControllers } from '../../src/embedded/controllers/local-controllers.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { createLog } from '../../src/observe/log.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { kubeconfigFor } from '../support/kubeconfig-for.ts';
import { RUN } from '../support/run-name.ts';

const run = promisify(execFile);
const deployments: ResourceType = { group: 'apps', version: 'v1', resource: 'deployments' };
const core = (resource: string): ResourceType => ({ group: '', version: 'v1', resource });
const field = { fieldManager: 'test', force: 'force' } as const;
const SPACE = `programs-${RUN}`;
/** What a Deployment asks for, and nothing else on the cluster does. */
const DEMO = `demo-${RUN}`;
const name = `controller-${SPACE}.demo`;

/** Writes down what it is given, then waits. */
const PROGRAM = `
import { readFileSync } from 'node:fs';
const { KUBECONFIG = '', ...rest } = process.env;
const token = /token: (\\S+)/.exec(readFileSync(KUBECONFIG, 'utf8'))?.[1] ?? '';
const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
console.log(JSON.stringify({ sub, env: Object.keys(rest).sort() }));
const stay: ReturnType<typeof setInterval> = setInterval(() => undefined, 1000);
`;

let folder: string;
let kubectlProgram: string;
let shared: TestCluster;
let kube: Kube;
let cluster: Cluster;
let stop: AbortController;
let ended: Promise<void>;

before(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'chandlery-programs-')));
  await writeFile(join(folder, 'main.ts'), PROGRAM);
  shared = await sharedCluster();
  kubectlProgram = shared.tools.kubectl ?? 'kubectl';
  kube = openKube(shared.kubeconfigPath, { userAgent: 'chandlery/test' });
  cluster = kube.asController();
  await cluster.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SPACE } });
  stop = new AbortController();
  const log = createLog({ level: 'silent', format: 'json', write: () => undefined });
  const { stateDir, kubeconfigPath } = shared;
  const accountKubeconfig = async (namespace: string, account: string) => ({
    text: await kubeconfigFor(account, namespace, kubeconfigPath),
    expires: new Date(Date.now() + 3_600_000),
  });
  const embedded = { stateDir, accountKubeconfig };
  ended = runLocalControllers({ cluster, embedded, programs: { [DEMO]: join(folder, 'main.ts') }, log, signal: stop.signal });
});
after(async () => {
  stop.abort();
  await ended;
  await kube.close();
  await shared.stop();
  await rm(folder, { recursive: true });
});

test('a Deployment with the annotation gets its program, which acts as its service account and sees nothing of our environment', async () => {
  await apply({ replicas: 1, account: 'first' });
  await serviceAccount('first');
  const said = await eventually(firstWords, 'the program speaks');
  assert.deepEqual(said, {
    sub: `system:serviceaccount:${SPACE}:first`,
    env: ['HOME', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'NODE_COMPILE_CACHE', 'POD_NAMESPACE'],
  });
});

test('kubectl logs shows what the program writes, and of a simulated container that it is one', async () => {
  await apply({ replicas: 1, account: 'first', program: 'none' }, 'simulated');
  const [pod, simulated] = [await podOf('demo'), await podOf('simulated')];
  const words = stringifyJson(await firstWords());
  assert.equal(await kubectl('logs', pod, '--tail=1'), `${words}\n`);
  assert.match(await kubectl('logs', pod, '--timestamps', '--since=1h'), /^\d{4}-\d\d-\d\dT[\d:.]+Z \{"sub"/);
  assert.equal(await kubectl('logs', pod, '--limit-bytes=6'), words.slice(0, 6));
  const following = spawn(kubectlProgram, ['logs', pod, '--follow', '--tail=0', '--namespace', SPACE], {
    env: { KUBECONFIG: shared.kubeconfigPath, HOME: folder },
    stdio: 'pipe',
  });
  const followed = once(following.stdout, 'data') as Promise<[Buffer]>;
  process.kill(await runningPid(), 'SIGKILL');
  assert.equal(String((await followed)[0]), `${words}\n`);
  following.kill();
  assert.match(await kubectl('logs', simulated), /^The embedded cluster simulates this container: .*registry\.example\/demo:1 runs\.\n$/);
  await assert.rejects(kubectl('logs', pod, '--previous'), /previous terminated container "main" in pod .* not found/);
});

test('logs of pods are for the api-server alone: neither a client without a certificate nor the admin reads them beside it', async () => {
  const { kubelet } = JSON.parse(await readFile(join(shared.stateDir, 'run', 'ports.json'), 'utf8')) as { kubelet: number };
  const pki = async (file: string): Promise<string> => await readFile(join(shared.stateDir, 'pki', file), 'utf8');
  const ca = await pki('cluster-ca.crt');
  const url = `https://127.0.0.1:${kubelet}/containerLogs/${SPACE}/${await podOf('demo')}/main`;
  const statusFor = async (certificate: object): Promise<number | undefined> => {
    const [response] = (await once(get(url, { ca, ...certificate }), 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  await assert.rejects(statusFor({}), /ERR_SSL|ECONNRESET|socket hang up|certificate required/);
  assert.equal(await statusFor({ cert: await pki('admin.crt'), key: await pki('admin.key') }), 404);
  assert.equal(await statusFor({ cert: await pki('kubelet-client.crt'), key: await pki('kubelet-client.key') }), 200);
});

test('a program that is killed is started again', async () => {
  const pid = await runningPid();
  process.kill(pid, 'SIGKILL');
  await eventually(async () => (await runningPid()) !== pid, 'another process');
});

test('another service account means another process with that account', async () => {
  const pid = await runningPid();
  await serviceAccount('second');
  await apply({ replicas: 1, account: 'second' });
  await eventually(
    async () => ((await firstWords()) as { sub: string }).sub === `system:serviceaccount:${SPACE}:second`,
    'the program speaks again',
  );
  assert.equal(await commandLine(pid), undefined);
});

test('a Deployment scaled to zero loses its program, and gets it again', async () => {
  const pid = await runningPid();
  await apply({ replicas: 0, account: 'second' });
  await eventually(async () => (await commandLine(pid)) === undefined, 'the process is gone');
  await apply({ replicas: 1, account: 'second' });
  await eventually(runningPid, 'a process');
});

test('a Deployment cannot run what is not in the table', async () => {
  await apply({ replicas: 1, account: 'second', program: '../main.ts' }, 'sneaky');
  await apply({ replicas: 1, account: 'second', program: 'toString' }, 'sneakier');
  const pid = await runningPid();
  await cluster.delete({ ...deployments, namespace: SPACE, name: 'demo' });
  await eventually(async () => (await commandLine(pid)) === undefined, 'the process of the deleted Deployment is gone');
  for (const other of ['sneaky', 'sneakier']) await assert.rejects(readFile(pidFile(shared.stateDir, `controller-${SPACE}.${other}`)));
});

async function apply(
  { replicas, account, program = DEMO }: { replicas: number; account: string; program?: string },
  called = 'demo',
): Promise<void> {
  const labels = { app: called };
  const metadata = { labels, annotations: { 'chandlery.dev/controller': program } };
  const template = { metadata, spec: { serviceAccountName: account, containers: [{ name: 'main', image: 'registry.example/demo:1' }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  const object: KubeObject = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: SPACE, name: called }, spec };
  await cluster.apply(deployments, object, field);
}

async function kubectl(...args: readonly string[]): Promise<string> {
  return (await run(kubectlProgram, [...args, '--namespace', SPACE], { env: { KUBECONFIG: shared.kubeconfigPath, HOME: folder } })).stdout;
}

async function podOf(app: string): Promise<string> {
  return eventually(async () => {
    const { items } = await cluster.list(core('pods'), { namespace: SPACE, labelSelector: `app=${app}` });
    return items.find(({ status }) => textAt(status, 'phase') === 'Running')?.metadata.name ?? false;
  }, `a pod of ${app}`);
}

async function serviceAccount(called: string): Promise<void> {
  await cluster.apply(
    core('serviceaccounts'),
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: SPACE, name: called } },
    field,
  );
}

async function firstWords(): Promise<unknown> {
  const text = await readFile(join(shared.stateDir, 'run', `${name}.log`), 'utf8');
  return JSON.parse(text.slice(text.indexOf('{'), text.indexOf('\n')));
}

async function runningPid(): Promise<number> {
  return eventually(async () => {
    const pid = Number(await readFile(pidFile(shared.stateDir, name), 'utf8'));
    return (await commandLine(pid)) !== undefined && pid;
  }, 'the program runs');
}
