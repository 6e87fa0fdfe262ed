import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  apiServerProgram,
  auditPolicyFile,
  controllerManagerProgram,
  etcdProgram,
  kwokProgram,
  type ProgramInput,
  programKubeconfig,
  type ProgramSpec,
  renderAuditPolicy,
  schedulerProgram,
} from '../../src/embedded/cluster/programs.ts';
import { createNodes } from '../../src/embedded/cluster/create-nodes.ts';
import { renderKubeconfig } from '../../src/embedded/cluster/kubeconfig.ts';
import { pidFile } from '../../src/embedded/cluster/leftovers.ts';
import { preparePki } from '../../src/embedded/cluster/pki.ts';
import { choosePorts } from '../../src/embedded/cluster/ports.ts';
import { writePrivateFile } from '../../src/embedded/cluster/private-file.ts';
import { claimStateFolder } from '../../src/embedded/cluster/state-folder.ts';
import { SupervisedProgram } from '../../src/embedded/cluster/supervised-program.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { createLog } from '../../src/observe/log.ts';
import { repoRoot } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { createTcpRelay, type TcpRelay } from '../support/tcp-relay.ts';
import { elapse } from '../support/elapse.ts';

/** A program that a fault run ends, stops and lets go on. */
export interface Program {
  /** SIGKILL; it stays away until it is started. */
  kill(): Promise<void>;
  start(): void;
  /** SIGSTOP: it holds its connections and answers nothing. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/** A control plane whose parts can be taken away one by one. */
export interface ControlPlane {
  readonly kubeconfigPath: string;
  readonly helm: string;
  readonly kube: Kube;
  readonly apiServer: Program;
  readonly etcd: Program;
  /** The way from the api-server to etcd. */
  readonly etcdRelay: TcpRelay;
  /** Waits until the api-server says that it is ready. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

const log = createLog({ level: 'silent', format: 'lines', write: () => undefined });
const AGAIN_MS = 1_000;

export async function startControlPlane(): Promise<ControlPlane> {
  const tools = await loadTools(repoRoot);
  if (tools.cluster === undefined) throw new Error('the programs of the cluster are missing: run node bin/setup.mjs');
  const folder = await claimStateFolder(await mkdtemp(join(await realpath(tmpdir()), 'chandlery-test-faults-')));
  const stateFolder = folder.path;
  FOLDERS.add(stateFolder);
  await mkdir(join(stateFolder, 'run'), { recursive: true, mode: 0o700 });
  const pki = await preparePki(join(stateFolder, 'pki'), new Date());
  const ports = await choosePorts(join(stateFolder, 'run', 'ports.json'), stateFolder);
  const etcdRelay = await createTcpRelay({ host: '127.0.0.1', port: ports.etcd });
  await etcdRelay.open();
  const input: ProgramInput = { stateFolder, programs: tools.cluster, pki, ports, durability: 'throwaway' };
  await configure(input);
  const kubeconfigPath = join(stateFolder, 'kubeconfig');
  const kube = openKube(kubeconfigPath, { userAgent: 'chandlery-faults' });
  const ready = (): Promise<void> => eventually(() => kube.ping().then(() => true), 'the api-server is ready', 120).then(() => undefined);
  const etcd = program(stateFolder, etcdProgram(input));
  const apiServer = program(stateFolder, apiServerProgram({ ...input, ports: { ...ports, etcd: etcdRelay.port } }));
  const clients = [controllerManagerProgram, schedulerProgram, kwokProgram].map((spec) => program(stateFolder, spec(input)));
  etcd.start();
  apiServer.start();
  await ready();
  await createNodes(kube.asController(), { kubelet: ports.kubelet, signal: AbortSignal.timeout(60_000) });
  for (const client of clients) client.start();
  const stop = async (): Promise<void> => {
    for (const each of [...clients, apiServer, etcd]) await each.kill();
    await etcdRelay.cut();
    await kube.close();
    await folder.release();
    await rm(stateFolder, { recursive: true, force: true, maxRetries: 5 });
  };
  return { kubeconfigPath, helm: tools.helm, kube, apiServer, etcd, etcdRelay, ready, stop };
}

async function configure({ stateFolder, pki, ports }: ProgramInput): Promise<void> {
  const server = `https://127.0.0.1:${ports.apiServer}`;
  const authority = pki['cluster-ca'].certificate;
  await writePrivateFile(auditPolicyFile(stateFolder), renderAuditPolicy());
  const admin = renderKubeconfig({ server, authority, user: 'admin', credential: { certificate: pki.admin } });
  await writePrivateFile(join(stateFolder, 'kubeconfig'), admin);
  for (const name of ['controller-manager', 'scheduler', 'kwok'] as const) {
    const text = renderKubeconfig({ server, authority, user: name, credential: { certificate: pki[name] } });
    await writePrivateFile(programKubeconfig(stateFolder, name), text);
  }
}

const RUNNING = new Set<() => void>();
const FOLDERS = new Set<string>();
process.once('exit', () => {
  RUNNING.forEach((killNow) => killNow());
  FOLDERS.forEach((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
});

/** A program that is started again however often it fails: clients end while the api-server is away. */
function program(stateFolder: string, spec: ProgramSpec): Program {
  let wanted = false;
  let running: SupervisedProgram | undefined;
  const start = (): void => {
    wanted = true;
    running = new SupervisedProgram({ spec, stateFolder, log, onGivenUp: () => void elapse(AGAIN_MS).then(() => wanted && start()) });
    running.start();
  };
  RUNNING.add(() => running?.killNow());
  const send = async (signal: NodeJS.Signals): Promise<void> => {
    process.kill(Number(await readFile(pidFile(stateFolder, spec.name), 'utf8')), signal);
  };
  return {
    start,
    kill: async () => {
      wanted = false;
      await running?.stop(0);
    },
    pause: () => send('SIGSTOP'),
    resume: () => send('SIGCONT'),
  };
}
