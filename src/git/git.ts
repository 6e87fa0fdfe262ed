import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { execa, ExecaError } from 'execa';
import semver from 'semver';
import { AppError } from '../domain/core/errors.ts';
import { commitField, type GitCheckout, type GitRequest, type SourceCommit } from '../domain/source/git-source.ts';
import { createEgressPolicy, type EgressPolicy, resolveAllowed } from '../egress/egress-policy.ts';

export interface GitOptions {
  /** Where checkouts are kept; a folder of its own. */
  readonly homeDir: string;
  /** Ranges that the admin opens, in CIDR notation. */
  readonly allowEgress: readonly string[];
  /** Certificate authorities in PEM, besides those that Node trusts. */
  readonly certificateAuthorities: readonly string[];
}

export interface Git {
  /**
   * Brings a revision to the disk. One that is there already costs one question to the host.
   *
   * @throws AppError `GitUnavailable`, `EgressDenied`.
   */
  checkout(request: GitRequest, signal: AbortSignal): Promise<GitCheckout>;
  /** The folder of the revision that was brought last; undefined when there is none. */
  latest(request: Pick<GitRequest, 'source' | 'git'>): Promise<string | undefined>;
}

/** As for helm. */
const PATH = '/usr/local/bin:/usr/bin:/bin';
const ASK_MS = 30_000;
const FETCH_MS = 300_000;
/** Of one file, and so of the pack of all objects of a revision. */
const MAX_FILE_BYTES = 200 * 1024 * 1024;
const MAX_REFS_BYTES = 20 * 1024 * 1024;
const MAX_FAULT = 300;

/** What the words of git and curl mean, and what to do about it. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/ENOENT/, 'the program git is not on the PATH of the controller; install it'],
  [
    /Authentication failed|could not read (Username|Password)|returned error: 40[13]|terminal prompts disabled/,
    'the host rejects the credentials, or asks for some; check the Secret in spec.git.secretRef',
  ],
  [/not found|returned error: 404/i, 'there is no repository at this address, or the credentials may not see it'],
  [/Could not resolve host/, 'its host name cannot be resolved; check the address'],
  [/Failed to connect|Connection refused|timed out/i, 'the host does not answer; check the address and the network'],
  [
    /certificate|SSL/i,
    'its TLS certificate is not trusted or does not fit; trust its authority with --chart-ca, or with the key ca.crt of the Secret in spec.git.secretRef',
  ],
  [/unable to update url base from redirection|returned error: 30\d/, 'it redirects; use the last address'],
  [/File size limit|index-pack failed|No space left/, 'a revision may have 200 MiB, and must fit on the disk of the controller'],
];

/** Runs git without a configuration of its own: no hooks, filters, submodules, links, prompts or redirects; https alone; one address that the egress policy allows. */
export function createGit({ homeDir, allowEgress, certificateAuthorities }: GitOptions): Git {
  const policy = createEgressPolicy(allowEgress);
  return {
    checkout: async (request, signal) => {
      const place = placeOf(homeDir, request);
      await mkdir(place, { recursive: true, mode: 0o700 });
      const authorities = join(place, 'authorities.pem');
      const trusted = [...getCACertificates('default'), ...certificateAuthorities, ...(request.credentials?.authorities ?? [])];
      await writeFile(authorities, trusted.join('\n'), { mode: 0o600 });
      const env = { PATH, HOME: place, ...QUIET, GIT_SSL_CAINFO: authorities, ...(await settingsOf(request, policy)) };
      return await bring({ ...request, place, env, signal });
    },
    latest: async (request) => {
      const place = placeOf(homeDir, request);
      const names = await readdir(place).catch(() => []);
      const name = names.find((one) => one.startsWith('files-'));
      return name === undefined ? undefined : join(place, name);
    },
  };
}

function placeOf(homeDir: string, { source, git }: Pick<GitRequest, 'source' | 'git'>): string {
  return join(
    homeDir,
    createHash('sha256')
      .update(JSON.stringify([source, git.url]))
      .digest('hex')
      .slice(0, 32),
  );
}

/** No file of the machine or the user counts. */
const QUIET = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  GIT_ALLOW_PROTOCOL: 'https',
  GIT_ATTR_NOSYSTEM: '1',
  LC_ALL: 'C',
} as const;

/** Settings by environment, so that no credential is in the arguments of a process. */
async function settingsOf({ git, credentials }: GitRequest, policy: EgressPolicy): Promise<Record<string, string>> {
  const { hostname, port } = new URL(git.url);
  const address = await resolveAllowed(hostname.replace(/^\[|\]$/g, ''), { policy, deny: denied });
  const pinned = `${hostname}:${port === '' ? '443' : port}:${address.includes(':') ? `[${address}]` : address}`;
  const settings: readonly (readonly [string, string])[] = [
    ['http.followRedirects', 'false'],
    ['http.curloptResolve', pinned],
    ['http.proxy', ''],
    ['credential.helper', ''],
    ['core.hooksPath', '/dev/null'],
    ['core.symlinks', 'false'],
    ['core.fsmonitor', 'false'],
    ['fetch.fsckObjects', 'true'],
    ['fetch.recurseSubmodules', 'false'],
    ['gc.auto', '0'],
    ...(credentials?.login === undefined
      ? []
      : ([['http.extraHeader', `Authorization: ${credentials.login.authorization.reveal()}`]] as const)),
  ];
  const pairs = settings.flatMap(([key, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

function denied(why: string): AppError {
  return new AppError('EgressDenied', `git: ${why}`);
}

interface Work extends GitRequest {
  readonly place: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

async function bring(work: Work): Promise<GitCheckout> {
  const { git, place } = work;
  const { name, commit } = await resolveRef(work);
  const revision = `${name}@sha1:${commit}`;
  const key = createHash('sha256').update(`${commit} ${git.path}`).digest('hex').slice(0, 16);
  const folder = join(place, `files-${key}`);
  const known = `${folder.replace('files-', 'commit-')}.json`;
  if (existsSync(folder)) return { folder, revision, ...(await readCommit(known)) };
  const repository = join(place, 'repository.git');
  if (!existsSync(repository)) await run(work, ['init', '--quiet', '--bare', '--', repository], ASK_MS);
  const fetch = ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-write-fetch-head', '--', git.url, commit];
  await run(work, ['--git-dir', repository, ...fetch], FETCH_MS);
  await writeFile(known, JSON.stringify(await describeCommit(work, repository, commit)));
  await writeFiles(work, { repository, commit, folder });
  await forgetOthers(place, [folder, known]);
  return { folder, revision, ...(await readCommit(known)) };
}

const MAX_MESSAGE = 1_000;

/** Author, message and time of a commit, as its repository tells them: foreign texts of any length. */
async function describeCommit(work: Work, repository: string, commit: string): Promise<SourceCommit> {
  const format = '--format=%an <%ae>%x00%at%x00%B';
  const told = await run(work, ['--git-dir', repository, 'log', '-1', '--no-show-signature', '--encoding=UTF-8', format, commit], ASK_MS);
  const [author = '', seconds = '', message = ''] = told.split('\0');
  const time = new Date(Math.min(Math.max(Number(seconds), 0) || 0, LAST_SECOND) * 1_000);
  return {
    author: author.slice(0, MAX_AUTHOR),
    message: message.trim().slice(0, MAX_MESSAGE),
    time: `${time.toISOString().slice(0, 19)}Z`,
  };
}

const MAX_AUTHOR = 300;
/** The end of the year 9999: what RFC 3339 can say. */
const LAST_SECOND = 253_402_300_799;

async function readCommit(file: string): Promise<Pick<GitCheckout, 'commit'>> {
  const commit = commitField.read(JSON.parse(await readFile(file, 'utf8').catch(() => '{}')));
  return commit === undefined ? {} : { commit };
}

/** The commit that the ref of the source names now. */
async function resolveRef(work: Work): Promise<{ readonly name: string; readonly commit: string }> {
  const { ref = {}, url } = work.git;
  if (ref.commit !== undefined) return { name: 'commit', commit: ref.commit };
  const wanted = wantedRefs(ref);
  const listed = await run(work, ['ls-remote', '--symref', '--', url, ...wanted], ASK_MS);
  const commits = new Map(
    listed.split('\n').flatMap((line): [string, string][] => {
      const [, commit, name] = /^([0-9a-f]{40})\t(\S+)$/.exec(line) ?? [];
      return commit === undefined || name === undefined ? [] : [[name, commit]];
    }),
  );
  // An annotated tag is an object of its own; `^{}` is the commit that it names.
  const commitOf = (name: string): string | undefined => commits.get(`${name}^{}`) ?? commits.get(name);
  if (ref.semver !== undefined) return newestTag(work, { range: ref.semver, names: [...commits.keys()], commitOf });
  const [name = 'HEAD'] = wanted;
  const commit = commitOf(name);
  if (commit === undefined) throw unavailable(work, `it has no ${name === 'HEAD' ? 'default branch' : name.replace(/^refs\//, '')}`);
  const head = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listed)?.[1] ?? 'HEAD';
  return { name: name === 'HEAD' ? head : name.replace(/^refs\/(heads|tags)\//, ''), commit };
}

function wantedRefs({ branch, tag, semver: range }: NonNullable<GitRequest['git']['ref']>): readonly string[] {
  if (range !== undefined) return ['refs/tags/*'];
  if (tag !== undefined) return [`refs/tags/${tag}`, `refs/tags/${tag}^{}`];
  return [branch === undefined ? 'HEAD' : `refs/heads/${branch}`];
}

interface TagsInput {
  readonly range: string;
  readonly names: readonly string[];
  readonly commitOf: (name: string) => string | undefined;
}

function newestTag(work: Work, { range, names, commitOf }: TagsInput): { readonly name: string; readonly commit: string } {
  if (semver.validRange(range) === null) throw unavailable(work, `${JSON.stringify(range)} is not a range of versions`);
  const tags = names.flatMap((name) => (name.startsWith('refs/tags/') && !name.endsWith('^{}') ? [name.slice('refs/tags/'.length)] : []));
  const newest = tags.filter((tag) => semver.satisfies(tag, range)).sort(semver.rcompare)[0];
  const commit = newest === undefined ? undefined : commitOf(`refs/tags/${newest}`);
  if (newest === undefined || commit === undefined) throw unavailable(work, `no tag is a version in the range ${range}`);
  return { name: newest, commit };
}

/** Writes the files of a commit beside the repository; they appear all at once. */
async function writeFiles(work: Work, input: { repository: string; commit: string; folder: string }): Promise<void> {
  const { git, place } = work;
  const { repository, commit, folder } = input;
  const draft = await mkdtemp(join(place, 'draft-'));
  try {
    const env = { ...work.env, GIT_INDEX_FILE: join(place, 'index') };
    const base = ['--git-dir', repository, '--work-tree', draft];
    await run({ ...work, env }, [...base, 'read-tree', '--reset', `${commit}:${git.path}`], ASK_MS).catch((error: unknown) => {
      throw /not a valid object|Not a tree|does not exist/i.test(String(error))
        ? unavailable(work, `the commit ${commit.slice(0, 12)} has no folder ${JSON.stringify(git.path)}`)
        : error;
    });
    await run({ ...work, env }, [...base, 'checkout-index', '--all', '--force', '--quiet'], FETCH_MS);
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function forgetOthers(place: string, kept: readonly string[]): Promise<void> {
  const others = (await readdir(place)).filter((name) => /^(files|draft|commit)-/.test(name) && !kept.includes(join(place, name)));
  await Promise.all(others.map((name) => rm(join(place, name), { recursive: true, force: true })));
}

async function run(work: Work, args: readonly string[], timeout: number): Promise<string> {
  const { place: cwd, env, signal } = work;
  try {
    // 512 bytes are a block of the shell's limit.
    const limited = ['-c', `ulimit -f ${MAX_FILE_BYTES / 512} && ulimit -c 0 && exec git "$@"`, 'git', ...args];
    const { stdout } = await execa('sh', limited, {
      cwd,
      env,
      extendEnv: false,
      stdin: 'ignore',
      timeout,
      cancelSignal: signal,
      maxBuffer: MAX_REFS_BYTES,
    });
    return stdout;
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(work, error);
  }
}

function failureOf(work: Work, error: unknown): unknown {
  if (!(error instanceof ExecaError)) return error;
  if (error.timedOut) return unavailable(work, 'git took too long; try again later');
  const words = `${error.exitCode === 127 ? 'ENOENT' : ''} ${typeof error.stderr === 'string' ? error.stderr : ''} ${error.signal ?? ''}`;
  const meaning = MEANINGS.find(([pattern]) => pattern.test(words))?.[1];
  const last = words.trim().split('\n').at(-1) ?? '';
  return unavailable(work, meaning ?? last.slice(0, MAX_FAULT));
}

function unavailable({ git }: GitRequest, why: string): AppError {
  return new AppError('GitUnavailable', `git: ${git.url}: ${why}`);
}
