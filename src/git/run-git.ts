import { execa, ExecaError } from 'execa';
import { AppError, isAppError } from '../domain/core/errors.ts';

/** As for helm. */
export const PATH = '/usr/local/bin:/usr/bin:/bin';
/** Of one file, and so of the pack of all objects of a revision. */
export const MAX_REVISION_BYTES = 200 * 1024 * 1024;
const MAX_OUTPUT_BYTES = 20 * 1024 * 1024;
/** Of address space: what unpacks to more than a machine has. */
const MAX_MEMORY_KIB = 2 * 1024 * 1024;
const MAX_FAULT = 300;

/** A run of git for one repository. */
export interface GitWork {
  /** The address of the repository, for sentences. */
  readonly url: string;
  /** The folder that it runs in. */
  readonly place: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Of one file, and so of a pack; default `MAX_REVISION_BYTES`. */
  readonly maxBytes?: number;
}

const TOO_LARGE =
  'a revision may have 200 MiB, and must fit on the disk of the controller; of a larger repository the folder spec.git.path is enough if the host offers partial clones (uploadpack.allowFilter)';

/** Whether git has failed because there was no room for what it got. */
export function isTooLarge(error: unknown): boolean {
  return isAppError(error, 'GitUnavailable') && error.message.endsWith(TOO_LARGE);
}

/** What the words of git, curl and ssh mean, and what to do about it. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/cannot run ssh|ssh: not found/, 'the program ssh is not on the PATH of the controller; install it'],
  [/No user exists for uid/, 'ssh runs only as a user that /etc/passwd has; the image has one with the uid 1000'],
  [/ENOENT/, 'the program git is not on the PATH of the controller; install it'],
  [
    /HOST IDENTIFICATION HAS CHANGED/,
    'the host key is another than the one in known_hosts; if the host really has a new key, replace it in the Secret in spec.git.secretRef, otherwise somebody is between',
  ],
  [
    /Host key verification failed|host key is known/,
    'known_hosts has no key of this host; add what "ssh-keyscan" gives of it to the Secret in spec.git.secretRef, after comparing it with the fingerprints that the host publishes',
  ],
  [
    /incorrect passphrase|error in libcrypto|invalid format|bad permissions/,
    'ssh cannot read the private key; check the keys identity and password of the Secret in spec.git.secretRef',
  ],
  [
    /Permission denied \(|Too many authentication failures/,
    'the host rejects the private key; check the keys identity and password of the Secret in spec.git.secretRef, and that the host knows the public key',
  ],
  [
    /Authentication failed|could not read (Username|Password)|returned error: 40[13]|terminal prompts disabled/,
    'the host rejects the credentials, or asks for some; check the Secret in spec.git.secretRef',
  ],
  [
    /not found|returned error: 404|does not appear to be a git repository/i,
    'there is no repository at this address, or the credentials may not see it',
  ],
  [
    /unadvertised object/,
    'the host gives out only the tips of branches and tags; name a branch or tag, or let the host accept the environment variable GIT_PROTOCOL',
  ],
  [/Failed to connect|Connection refused|timed out|not responding/i, 'the host does not answer; check the address and the network'],
  [
    /certificate|SSL/i,
    'its TLS certificate is not trusted or does not fit; trust its authority with --chart-ca, or with the key ca.crt of the Secret in spec.git.secretRef',
  ],
  [/unable to update url base from redirection|returned error: 30\d/, 'it redirects; use the last address'],
  [/fsck error/, 'git rejects an object in it as broken or dangerous; "git fsck" in a clone names it'],
  [/File size limit|index-pack failed|No space left|[Oo]ut of memory/, TOO_LARGE],
];

/** What git writes, as text without the line break at its end. Like `readGit`. */
export async function runGit(work: GitWork, args: readonly string[], timeoutMs: number): Promise<string> {
  return (await readGit(work, args, timeoutMs)).toString('utf8').replace(/\n$/, '');
}

/**
 * Runs git with the given environment alone, in a process group of its own: when the time is up the whole group ends, ssh included.
 *
 * @returns what it wrote.
 * @throws AppError `GitUnavailable`; what the signal was aborted with.
 */
export async function readGit(work: GitWork, args: readonly string[], timeoutMs: number): Promise<Buffer> {
  const { place: cwd, env, signal, maxBytes = MAX_REVISION_BYTES } = work;
  // 512 bytes are a block of the shell's limit.
  const limits = `ulimit -f ${maxBytes / 512} && ulimit -c 0 && { ulimit -v ${MAX_MEMORY_KIB} 2>/dev/null || true; }`;
  const time = AbortSignal.timeout(timeoutMs);
  const bounded = AbortSignal.any([signal, time]);
  signal.throwIfAborted();
  const child = execa('sh', ['-c', `${limits} && exec git "$@"`, 'git', ...args], {
    cwd,
    env,
    extendEnv: false,
    stdin: 'ignore',
    detached: true,
    maxBuffer: MAX_OUTPUT_BYTES,
    encoding: 'buffer',
    stripFinalNewline: false,
  });
  const end = (): void => endGroup(child.pid);
  bounded.addEventListener('abort', end, { once: true });
  try {
    return Buffer.from((await child).stdout);
  } catch (error) {
    signal.throwIfAborted();
    if (time.aborted) throw unavailable(work, 'git took too long; try again later');
    throw failureOf(work, error);
  } finally {
    bounded.removeEventListener('abort', end);
    end();
  }
}

function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nobody is left of it.
  }
}

function failureOf(work: GitWork, error: unknown): unknown {
  if (!(error instanceof ExecaError)) return error;
  if (error.isMaxBuffer) return unavailable(work, 'it has more refs or files than Chandlery reads (20 MiB of names)');
  const stderr: unknown = error.stderr;
  const text = stderr instanceof Uint8Array ? Buffer.from(stderr).toString('utf8') : '';
  const words = `${error.exitCode === 127 ? 'ENOENT' : ''} ${text} ${error.signal ?? ''}`;
  const meaning = MEANINGS.find(([pattern]) => pattern.test(words))?.[1];
  const last = words.trim().split('\n').at(-1) ?? '';
  return unavailable(work, meaning ?? last.replaceAll(/\p{C}/gu, ' ').slice(0, MAX_FAULT));
}

/** A fault of a repository: `why` says what is wrong and what to do. */
export function unavailable({ url }: Pick<GitWork, 'url'>, why: string): AppError {
  return new AppError('GitUnavailable', `git: ${url}: ${why}`);
}
