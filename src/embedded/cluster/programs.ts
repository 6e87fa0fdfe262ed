import { basename, join } from 'node:path';
import { stringify } from 'yaml';
import type { Pki } from './pki.ts';
import type { Ports } from './ports.ts';
import type { ClusterPrograms } from './tools.ts';

/**
 * How much of what was written survives a crash of the machine: all of it, or as much as chance leaves, which is faster. What is thrown away soon also
 * takes memory rather than time: programs collect their garbage a quarter as often.
 */
export type Durability = 'kept' | 'throwaway';

/** A program and how to start it. Each command line names the state folder: that is how leftovers are recognised. */
export interface ProgramSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** All that it finds in its environment, besides its home. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ProgramInput {
  readonly stateFolder: string;
  readonly programs: ClusterPrograms;
  readonly pki: Pki;
  readonly ports: Ports;
  readonly durability: Durability;
  /** The file that says which issuers of tokens the api-server trusts; without it, it trusts none but itself. */
  readonly authenticationFile?: string;
}

/**
 * The address that the api-server names to clients inside the cluster. There are none, since pods are simulated, and the Service
 * `kubernetes` may not point to the loopback; so it is one that is reserved for documentation (RFC 5737).
 */
const ADVERTISED_ADDRESS = '192.0.2.1';

export function etcdProgram({ stateFolder, programs, pki, ports, durability }: ProgramInput): ProgramSpec {
  const [client, peer] = [`https://127.0.0.1:${ports.etcd}`, `https://127.0.0.1:${ports.etcdPeer}`];
  const { certificateFile, keyFile } = pki['etcd-server'];
  const authority = pki['etcd-ca'].certificateFile;
  const args = [
    '--name=chandlery',
    `--data-dir=${join(stateFolder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=chandlery=${peer}`,
    '--client-cert-auth=true',
    `--trusted-ca-file=${authority}`,
    `--cert-file=${certificateFile}`,
    `--key-file=${keyFile}`,
    '--peer-client-cert-auth=true',
    `--peer-trusted-ca-file=${authority}`,
    `--peer-cert-file=${certificateFile}`,
    `--peer-key-file=${keyFile}`,
    '--auto-compaction-retention=30m',
    '--snapshot-count=10000',
    '--log-level=warn',
    ...(durability === 'throwaway' ? ['--unsafe-no-fsync'] : []),
  ];
  return { name: 'etcd', command: programs.etcd, args };
}

export function apiServerProgram({ stateFolder, programs, pki, ports, authenticationFile }: ProgramInput): ProgramSpec {
  const args = [
    '--bind-address=127.0.0.1',
    `--secure-port=${ports.apiServer}`,
    `--advertise-address=${ADVERTISED_ADDRESS}`,
    `--tls-cert-file=${pki.apiserver.certificateFile}`,
    `--tls-private-key-file=${pki.apiserver.keyFile}`,
    `--client-ca-file=${pki['cluster-ca'].certificateFile}`,
    '--anonymous-auth=false',
    ...(authenticationFile === undefined ? [] : [`--authentication-config=${authenticationFile}`]),
    '--authorization-mode=RBAC',
    '--allow-privileged=true',
    '--profiling=false',
    '--service-cluster-ip-range=10.96.0.0/16',
    `--etcd-servers=https://127.0.0.1:${ports.etcd}`,
    `--etcd-cafile=${pki['etcd-ca'].certificateFile}`,
    `--etcd-certfile=${pki['etcd-client'].certificateFile}`,
    `--etcd-keyfile=${pki['etcd-client'].keyFile}`,
    ...serviceAccountArgs(pki),
    ...kubeletArgs(pki),
    ...aggregationArgs(pki),
    ...auditArgs(stateFolder),
  ];
  return { name: 'kube-apiserver', command: programs.apiServer, args };
}

function serviceAccountArgs({ serviceAccount }: Pki): string[] {
  return [
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${serviceAccount.publicKeyFile}`,
    `--service-account-signing-key-file=${serviceAccount.keyFile}`,
  ];
}

function kubeletArgs(pki: Pki): string[] {
  return [
    `--kubelet-certificate-authority=${pki['cluster-ca'].certificateFile}`,
    `--kubelet-client-certificate=${pki['kubelet-client'].certificateFile}`,
    `--kubelet-client-key=${pki['kubelet-client'].keyFile}`,
    '--kubelet-preferred-address-types=InternalIP',
  ];
}

function aggregationArgs(pki: Pki): string[] {
  return [
    `--requestheader-client-ca-file=${pki['front-proxy-ca'].certificateFile}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${pki['front-proxy'].certificateFile}`,
    `--proxy-client-key-file=${pki['front-proxy'].keyFile}`,
  ];
}

/** At most three files of 50 MB. */
function auditArgs(stateFolder: string): string[] {
  return [
    `--audit-policy-file=${auditPolicyFile(stateFolder)}`,
    `--audit-log-path=${join(stateFolder, 'audit.log')}`,
    '--audit-log-maxsize=50',
    '--audit-log-maxbackup=2',
  ];
}

export function auditPolicyFile(stateFolder: string): string {
  return join(stateFolder, 'run', 'audit-policy.yaml');
}

/** Where the kubeconfig of a program lies. */
export function programKubeconfig(stateFolder: string, program: 'controller-manager' | 'scheduler' | 'kwok'): string {
  return join(stateFolder, 'run', `${program}.kubeconfig`);
}

/**
 * Serves nothing itself, leads without an election, and looks for waiting claims more often than it would by default. It never takes a simulated node for lost: it
 * would mark all of its pods as not ready when the api-server was away for a while, and no kubelet marks them as ready again.
 */
export function controllerManagerProgram({ stateFolder, programs, pki }: ProgramInput): ProgramSpec {
  const args = [
    `--kubeconfig=${programKubeconfig(stateFolder, 'controller-manager')}`,
    '--secure-port=0',
    '--leader-elect=false',
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${pki.serviceAccount.keyFile}`,
    `--root-ca-file=${pki['cluster-ca'].certificateFile}`,
    '--allocate-node-cidrs=false',
    '--pvclaimbinder-sync-period=5s',
    '--node-monitor-grace-period=8760h',
    '--kube-api-qps=100',
    '--kube-api-burst=200',
    '--profiling=false',
  ];
  return { name: 'kube-controller-manager', command: programs.controllerManager, args };
}

export function schedulerProgram({ stateFolder, programs }: ProgramInput): ProgramSpec {
  const args = [
    `--kubeconfig=${programKubeconfig(stateFolder, 'scheduler')}`,
    '--secure-port=0',
    '--leader-elect=false',
    '--profiling=false',
  ];
  return { name: 'kube-scheduler', command: programs.scheduler, args };
}

/** Simulated kubelets. They serve nothing: with `--node-port` KWOK would listen on all addresses of the machine. Logs are served by `kubelet.ts`. */
export function kwokProgram({ stateFolder, programs }: ProgramInput): ProgramSpec {
  const args = [
    `--kubeconfig=${programKubeconfig(stateFolder, 'kwok')}`,
    ...[...programs.stages.filter(isNoVolumeStage), ...OWN_STAGES].map((file) => `--config=${file}`),
    '--manage-all-nodes=true',
    '--node-lease-duration-seconds=40',
    '--node-ip=127.0.0.1',
    '--cidr=10.244.0.0/16',
  ];
  return { name: 'kwok', command: programs.kwok, args };
}

const OWN_STAGES = ['address-stages.yaml', 'pod-stages.yaml', 'volume-stages.yaml'].map((file) => join(import.meta.dirname, file));

function isNoVolumeStage(file: string): boolean {
  return !/^pvc?-/.test(basename(file));
}

const SYSTEM_USERS = ['system:apiserver', 'system:kube-controller-manager', 'system:kube-scheduler', 'chandlery:kwok'];
/** The controller manager uses one of these accounts for each of its controllers. */
const SYSTEM_GROUPS = ['system:serviceaccounts:kube-system'];

/**
 * The audit policy: who asked for what, with what outcome, but no bodies, which hold secrets. Left out is only what the cluster's own
 * programs read or renew for themselves. The policy looks at the authenticated user, so a request with impersonation is never left out.
 */
export function renderAuditPolicy(): string {
  return stringify(
    {
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['RequestReceived'],
      rules: [
        { level: 'None', users: SYSTEM_USERS, verbs: ['get', 'list', 'watch'] },
        { level: 'None', userGroups: SYSTEM_GROUPS, verbs: ['get', 'list', 'watch'] },
        { level: 'None', users: SYSTEM_USERS, resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }] },
        { level: 'Metadata' },
      ],
    },
    { aliasDuplicateObjects: false },
  );
}
