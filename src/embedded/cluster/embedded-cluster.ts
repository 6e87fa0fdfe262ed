import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../domain/core/errors.ts';
import type { JwtAuthenticator } from '../../identity/claims/authentication-configuration.ts';
import { renderAuthentication } from '../../identity/claims/render-authentication.ts';
import type { ClaimSettings } from '../../identity/identity-settings.ts';
import { createKube, type Kube } from '../../kube/kube.ts';
import type { Log } from '../../observe/log.ts';
import { ensureSecrets } from '../issuer/issuer-secrets.ts';
import {
  apiServerProgram,
  auditPolicyFile,
  controllerManagerProgram,
  type Durability,
  etcdProgram,
  kwokProgram,
  type ProgramInput,
  programKubeconfig,
  type ProgramSpec,
  renderAuditPolicy,
  schedulerProgram,
} from './programs.ts';
import { type ClusterIssuer, clusterAuthenticator, serveClusterIssuer } from './cluster-issuer.ts';
import { createNodes } from './create-nodes.ts';
import { renderKubeconfig } from './kubeconfig.ts';
import { serveKubelet } from './kubelet.ts';
import { type Pki, preparePki } from './pki.ts';
import { podLogs } from './pod-logs.ts';
import { choosePorts } from './ports.ts';
import { writePrivateFile } from './private-file.ts';
import { claimStateFolder, type StateFolder } from './state-folder.ts';
import { type ProgramExit, SupervisedProgram } from './supervised-program.ts';
import type { ToolPaths } from './tools.ts';

export interface EmbeddedClusterOptions {
  /** Made when it is missing; only one process uses it at a time. */
  readonly stateDir: string;
  readonly tools: ToolPaths;
  readonly log: Log;
  readonly durability: Durability;
  /** The issuers whose tokens the api-server takes. Without them only certificates and service accounts count. */
  readonly trust?: TrustedTokens;
  /** `None` leaves out the controller manager, the scheduler and KWOK: objects stay as they are written. */
  readonly controllers?: 'None';
  /** Begin anew: deletes everything in the state folder first. */
  readonly reset?: boolean;
  /** Gives up the start. Does not stop a cluster that has started. */
  readonly signal?: AbortSignal;
}

interface TrustedTokens {
  /** Of the embedded issuer of this state folder; absent: its tokens do not count. */
  readonly demoClaims?: ClaimSettings;
  readonly issuers: readonly JwtAuthenticator[];
}

/** A running control plane. */
export interface EmbeddedCluster {
  /** Absolute, symbolic links resolved. */
  readonly stateDir: string;
  /** Of the state folder, the same at each start. */
  readonly stateId: string;
  readonly server: string;
  /** The administrator's kubeconfig; valid until another start finds that a port was taken. */
  readonly kubeconfigPath: string;
  /** The name by which the api-server knows the embedded issuer, if it trusts it: the `iss` of tokens that it takes. */
  readonly issuer?: string;
  /** The api-server's audit log, a JSON object a line. */
  readonly auditLogPath: string;
  /** Resolves when a program failed too often to be started again; never after `stop()`. */
  readonly exited: Promise<ProgramExit>;
  /** A kubeconfig by which a program acts under the permissions of a service account, until the token in it expires. Seconds: at least 600. */
  accountKubeconfig(namespace: string, account: string, options: { seconds: number; signal: AbortSignal }): Promise<AccountKubeconfig>;
  /** Ends all programs, in order, and lets go of the state folder. May be called more than once. */
  stop(): Promise<void>;
}

export interface AccountKubeconfig {
  readonly text: string;
  readonly expires: Date;
}

const READY_WITHIN_MS = 60_000;
const POLL_MS = 50;
const PORT_ATTEMPTS = 3;

/** What must still run while a program stops: clients need the api, the api needs the store. */
type Layer = 'store' | 'api' | 'client';

const STOP_ORDER: readonly Layer[] = ['client', 'api', 'store'];
const GRACE_MS = 4000;

/**
 * Starts a Kubernetes control plane of our own: etcd, api-server, controller manager, scheduler, and KWOK, which simulates nodes and pods.
 * Resolves when the api-server is ready and has nodes and a default storage class.
 *
 * @throws AppError `ConfigInvalid` when the state folder is in use or not ours, or programs are missing; `ClusterUnavailable` when a program does not start.
 */
export async function startEmbeddedCluster(options: EmbeddedClusterOptions): Promise<EmbeddedCluster> {
  const programs = options.tools.cluster;
  if (programs === undefined) throw new AppError('ConfigInvalid', 'embedded cluster: its programs are missing: run node bin/setup.mjs');
  const folder = await claimStateFolder(options.stateDir, { reset: options.reset ?? false });
  try {
    await mkdir(join(folder.path, 'run'), { recursive: true, mode: 0o700 });
    const pki = await preparePki(join(folder.path, 'pki'), new Date());
    for (let attempt = 1; ; attempt += 1) {
      const ports = await choosePorts(join(folder.path, 'run', 'ports.json'), folder.path);
      const input = { stateFolder: folder.path, programs, pki, ports, durability: options.durability };
      try {
        return await startPrograms(input, folder, options);
      } catch (error) {
        const isPortTaken = error instanceof AppError && error.message.includes('address already in use');
        if (!isPortTaken || attempt === PORT_ATTEMPTS) throw error;
      }
    }
  } catch (error) {
    await folder.release();
    throw error;
  }
}

async function startPrograms(input: ProgramInput, folder: StateFolder, options: EmbeddedClusterOptions): Promise<EmbeddedCluster> {
  const { log, durability } = options;
  const server = `https://127.0.0.1:${input.ports.apiServer}`;
  const group = new ProgramGroup({ stateFolder: input.stateFolder, log, durability });
  await writeConfiguration(input, server);
  const { issuer, ...trusted } = await openIssuer(input, options.trust);
  const kube = createKube({ kubeconfigPath: join(input.stateFolder, 'kubeconfig'), userAgent: 'chandlery/embedded' });
  const kubelet = await openKubelet(input, kube);
  const stop = async (): Promise<void> => {
    await Promise.all([group.stop(), kube.close()]);
    issuer?.close();
    kubelet.close();
  };
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(READY_WITHIN_MS), ...(options.signal === undefined ? [] : [options.signal])]);
    group.start('store', etcdProgram(input));
    group.start('api', apiServerProgram({ ...input, ...trusted }));
    await untilReady(kube, group, signal);
    await createNodes(kube.asController(), { kubelet: input.ports.kubelet, signal });
    const controllers = options.controllers === 'None' ? [] : [controllerManagerProgram, schedulerProgram, kwokProgram];
    for (const program of controllers) group.start('client', program(input));
  } catch (error) {
    await stop();
    throw error;
  }
  log.info('the embedded cluster is ready', { server, state: input.stateFolder });
  return {
    ...filesOf(folder),
    server,
    ...(issuer === undefined ? {} : { issuer: issuer.url }),
    exited: group.exited,
    accountKubeconfig: accountKubeconfigs(kube, { server, authority: input.pki['cluster-ca'].certificate }),
    stop: async () => {
      await stop();
      await folder.release();
    },
  };
}

function filesOf({ path, id }: StateFolder): Pick<EmbeddedCluster, 'stateDir' | 'stateId' | 'kubeconfigPath' | 'auditLogPath'> {
  return { stateDir: path, stateId: id, kubeconfigPath: join(path, 'kubeconfig'), auditLogPath: join(path, 'audit.log') };
}

async function openKubelet({ stateFolder, pki, ports }: ProgramInput, kube: Kube): Promise<{ close(): void }> {
  const logs = podLogs({ folder: join(stateFolder, 'run'), cluster: kube.asController() });
  const clientAuthority = pki['cluster-ca'].certificate;
  return await serveKubelet({ port: ports.kubelet, certificate: pki.kubelet, clientAuthority, logs });
}

function accountKubeconfigs(kube: Kube, cluster: { server: string; authority: string }): EmbeddedCluster['accountKubeconfig'] {
  return async (namespace, name, { seconds, signal }) => {
    const expires = new Date(Date.now() + seconds * 1000);
    const token = await kube.requestToken({ namespace, name }, seconds, { signal });
    return { text: renderKubeconfig({ ...cluster, user: `${namespace}:${name}`, credential: { token } }), expires };
  };
}

interface OpenIssuer {
  readonly issuer?: ClusterIssuer;
  readonly authenticationFile?: string;
}

/**
 * Before the api-server, which asks again only every ten seconds for an issuer that was away at its start. What `chandlery identity config` prints, too; the
 * api-server takes no issuer by http, so those of this machine are left out.
 */
async function openIssuer({ stateFolder, pki, ports }: ProgramInput, trust?: TrustedTokens): Promise<OpenIssuer> {
  const trusted = (trust?.issuers ?? []).filter(({ issuer: { url } }) => url.startsWith('https:'));
  const authenticationFile = join(stateFolder, 'run', 'authentication.yaml');
  if (trust?.demoClaims === undefined) {
    if (trusted.length === 0) return {};
    await writePrivateFile(authenticationFile, renderAuthentication(trusted));
    return { authenticationFile };
  }
  const { signingKey } = await ensureSecrets(stateFolder);
  const issuer = await serveClusterIssuer({ port: ports.issuer, certificate: pki.issuer, signingKey });
  const demo = clusterAuthenticator(issuer.url, pki['cluster-ca'].certificate, trust.demoClaims);
  await writePrivateFile(authenticationFile, renderAuthentication([demo, ...trusted]));
  return { issuer, authenticationFile };
}

async function writeConfiguration({ stateFolder, pki }: ProgramInput, server: string): Promise<void> {
  const render = (user: string, certificate: Pki['admin']): string =>
    renderKubeconfig({ server, authority: pki['cluster-ca'].certificate, user, credential: { certificate } });
  await Promise.all([
    writePrivateFile(auditPolicyFile(stateFolder), renderAuditPolicy()),
    writePrivateFile(join(stateFolder, 'kubeconfig'), render('admin', pki.admin)),
    ...(['controller-manager', 'scheduler', 'kwok'] as const).map((program) =>
      writePrivateFile(programKubeconfig(stateFolder, program), render(program, pki[program])),
    ),
  ]);
}

async function untilReady(kube: Kube, group: ProgramGroup, signal: AbortSignal): Promise<void> {
  let exit: ProgramExit | undefined;
  void group.exited.then((ended) => (exit = ended));
  while (!(await isReady(kube, signal))) {
    if (exit !== undefined)
      throw new AppError('ClusterUnavailable', `embedded cluster: ${exit.program} ended (${exit.code}):\n${exit.tail}`);
    if (signal.aborted)
      throw new AppError(
        'ClusterUnavailable',
        'embedded cluster: start: not ready in time, or interrupted; see the logs in its state folder',
        { cause: signal.reason },
      );
    await delay(POLL_MS);
  }
}

async function isReady(kube: Kube, signal: AbortSignal): Promise<boolean> {
  try {
    await kube.ping({ signal });
    return true;
  } catch {
    return false;
  }
}

/** The programs of one cluster. They never outlive this process when it ends in an orderly way, and are found by the next start when it is killed. */
class ProgramGroup {
  /** Resolves with the first program that was given up. */
  readonly exited: Promise<ProgramExit>;
  readonly #settings: { readonly stateFolder: string; readonly log: Log; readonly durability: Durability };
  readonly #programs: { readonly layer: Layer; readonly program: SupervisedProgram }[] = [];
  readonly #giveUp: (exit: ProgramExit) => void;
  readonly #killAll = (): void => this.#programs.forEach(({ program }) => program.killNow());

  constructor(settings: { readonly stateFolder: string; readonly log: Log; readonly durability: Durability }) {
    const { promise, resolve } = Promise.withResolvers<ProgramExit>();
    this.#settings = settings;
    this.exited = promise;
    this.#giveUp = resolve;
    process.once('exit', this.#killAll);
  }

  start(layer: Layer, spec: ProgramSpec): void {
    const { stateFolder, log, durability } = this.#settings;
    const env = durability === 'throwaway' ? { GOGC: '400' } : {};
    const program = new SupervisedProgram({ spec: { ...spec, env }, stateFolder, log, onGivenUp: this.#giveUp });
    this.#programs.push({ layer, program });
    program.start();
  }

  /** Stops clients first and the store last. What need not be kept is killed, which is faster. */
  async stop(): Promise<void> {
    const grace = this.#settings.durability === 'kept' ? GRACE_MS : 0;
    for (const layer of STOP_ORDER) {
      await Promise.all(this.#programs.filter((entry) => entry.layer === layer).map(({ program }) => program.stop(grace)));
    }
    process.off('exit', this.#killAll);
  }
}
