import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { AppError, isAppError } from '../domain/core/errors.ts';
import { type GitAddress, type GitCredentials, parseGitAddress, type SshIdentity } from '../domain/source/git-access.ts';
import { type EgressPolicy, resolveAllowed } from '../egress/egress-policy.ts';
import { PATH, unavailable } from './run-git.ts';

/** What git is to connect to, and as whom. */
export interface ConnectionInput {
  readonly url: string;
  readonly credentials?: GitCredentials;
  /** A folder of our own; git has to run in it. */
  readonly place: string;
  readonly policy: EgressPolicy;
  /** In PEM, besides those that Node trusts. */
  readonly certificateAuthorities: readonly string[];
}

/** No file of the machine or the user counts. */
const QUIET = {
  PATH,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  GIT_ATTR_NOSYSTEM: '1',
  LC_ALL: 'C',
} as const;

/** No hooks, links, submodules or helpers, whatever a repository says. */
const SETTINGS: readonly Setting[] = [
  ['credential.helper', ''],
  ['core.hooksPath', '/dev/null'],
  ['core.symlinks', 'false'],
  ['core.fsmonitor', 'false'],
  ['fetch.fsckObjects', 'true'],
  ['fetch.recurseSubmodules', 'false'],
  ['gc.auto', '0'],
];

type Setting = readonly [name: string, value: string];

/**
 * Lends the environment in which git reaches one repository, by one protocol, at one address that the egress policy allows. Credentials are in
 * the environment or in files that are gone afterwards, never in arguments.
 *
 * @throws AppError `GitUnavailable`, `EgressDenied`; what the task throws.
 */
export async function withConnection<T>(input: ConnectionInput, task: (env: Readonly<Record<string, string>>) => Promise<T>): Promise<T> {
  const { url, credentials, place } = input;
  const address = parseGitAddress(url);
  if (address === undefined) throw unavailable(input, 'this is no https or ssh address of a repository');
  const resolved = await resolve(input, address);
  if (address.scheme === 'https') return await task(await httpsEnvironment(input, address, resolved));
  const { ssh } = credentials ?? {};
  if (ssh === undefined)
    throw unavailable(input, 'an ssh address needs a Secret with the keys identity and known_hosts in spec.git.secretRef');
  const folder = await mkdtemp(join(place, 'ssh-'));
  try {
    return await task({ ...base(place, 'ssh', []), ...(await sshEnvironment({ address, resolved, ssh, folder })) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function resolve(input: ConnectionInput, { host }: GitAddress): Promise<string> {
  try {
    return await resolveAllowed(host, { policy: input.policy, deny: (why) => new AppError('EgressDenied', `git: ${why}`) });
  } catch (error) {
    if (isAppError(error, 'EgressDenied')) throw error;
    throw unavailable(input, 'its host name cannot be resolved; check the address');
  }
}

/** The environment of git for what is on the disk already: it reaches no host. */
export function offlineEnvironment(place: string): Readonly<Record<string, string>> {
  return { ...base(place, 'https', []), GIT_ALLOW_PROTOCOL: 'none' };
}

function base(place: string, protocol: GitAddress['scheme'], settings: readonly Setting[]): Record<string, string> {
  const pairs = [...SETTINGS, ...settings].flatMap(([name, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { ...QUIET, HOME: place, GIT_ALLOW_PROTOCOL: protocol, GIT_CONFIG_COUNT: String(pairs.length / 2), ...Object.fromEntries(pairs) };
}

async function httpsEnvironment(
  { place, credentials, certificateAuthorities }: ConnectionInput,
  { host, port }: GitAddress,
  resolved: string,
): Promise<Record<string, string>> {
  const authorities = join(place, 'authorities.pem');
  const trusted = [...getCACertificates('default'), ...certificateAuthorities, ...(credentials?.authorities ?? [])];
  await writeFile(authorities, trusted.join('\n'), { mode: 0o600 });
  const { login } = credentials ?? {};
  const settings: readonly Setting[] = [
    ['http.followRedirects', 'false'],
    ['http.curloptResolve', `${bracketed(host)}:${port}:${bracketed(resolved)}`],
    ['http.proxy', ''],
    ...(login === undefined ? [] : ([['http.extraHeader', `Authorization: ${login.authorization.reveal()}`]] as const)),
  ];
  return { ...base(place, 'https', settings), GIT_SSL_CAINFO: authorities };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

interface SshInput {
  readonly address: GitAddress;
  readonly resolved: string;
  readonly ssh: SshIdentity;
  /** A private folder directly below the one that git runs in: paths are relative, so that no sign in them needs an escape. */
  readonly folder: string;
}

/** ssh reads this configuration alone: no file of a user or the machine, no agent, no forwarding, no proxy, no host that is not known. */
async function sshEnvironment({ address, resolved, ssh, folder }: SshInput): Promise<Record<string, string>> {
  const name = basename(folder);
  const { host, port } = address;
  const lines = [
    `HostName ${resolved}`,
    // The key is looked for under the name of the host, although its address is connected to.
    `HostKeyAlias ${port === 22 ? host : `[${host}]:${port}`}`,
    `IdentityFile ${name}/identity`,
    `UserKnownHostsFile ${name}/known_hosts`,
    `BatchMode ${ssh.password === undefined ? 'yes' : 'no'}`,
    ...SSH_OPTIONS,
  ];
  await writeFile(join(folder, 'config'), `${lines.join('\n')}\n`, { mode: 0o600 });
  await writeFile(join(folder, 'identity'), ssh.key.reveal(), { mode: 0o600 });
  await writeFile(join(folder, 'known_hosts'), ssh.knownHosts, { mode: 0o600 });
  const command = { GIT_SSH_COMMAND: `ssh -F ${name}/config`, GIT_SSH_VARIANT: 'ssh' };
  if (ssh.password === undefined) return command;
  await writeFile(join(folder, 'password'), `${ssh.password.reveal()}\n`, { mode: 0o600 });
  await writeFile(join(folder, 'askpass'), `#!/bin/sh\nexec cat ${name}/password\n`, { mode: 0o700 });
  await chmod(join(folder, 'askpass'), 0o700);
  return { ...command, SSH_ASKPASS: `${name}/askpass`, SSH_ASKPASS_REQUIRE: 'force' };
}

const SSH_OPTIONS = [
  'StrictHostKeyChecking yes',
  'GlobalKnownHostsFile none',
  'KnownHostsCommand none',
  'UpdateHostKeys no',
  'VerifyHostKeyDNS no',
  'CheckHostIP no',
  'CanonicalizeHostname no',
  'IdentitiesOnly yes',
  'IdentityAgent none',
  'AddKeysToAgent no',
  'PreferredAuthentications publickey',
  'PasswordAuthentication no',
  'KbdInteractiveAuthentication no',
  'HostbasedAuthentication no',
  'GSSAPIAuthentication no',
  'NumberOfPasswordPrompts 1',
  'ForwardAgent no',
  'ForwardX11 no',
  'ClearAllForwardings yes',
  'PermitLocalCommand no',
  'ProxyCommand none',
  'ProxyJump none',
  'ControlMaster no',
  'ControlPath none',
  'Tunnel no',
  'RequestTTY no',
  'EscapeChar none',
  'ConnectTimeout 10',
  'ConnectionAttempts 1',
  'ServerAliveInterval 10',
  'ServerAliveCountMax 3',
  'LogLevel ERROR',
] as const;
