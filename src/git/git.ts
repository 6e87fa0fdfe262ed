import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import { commitField, type GitCheckout, type GitRequest, type SourceCommit } from '../domain/source/git-source.ts';
import { isAppError } from '../domain/core/errors.ts';
import { createEgressPolicy } from '../egress/egress-policy.ts';
import { offlineEnvironment, withConnection } from './connection.ts';
import { type GitWork, isTooLarge, MAX_REVISION_BYTES, runGit, unavailable } from './run-git.ts';
import type { verifyRevision } from './verify-revision.ts';

export interface GitOptions {
  /** Where checkouts are kept; a folder of its own. */
  readonly homeDir: string;
  /** Ranges that the admin opens, in CIDR notation. */
  readonly allowEgress: readonly string[];
  /** Certificate authorities in PEM, besides those that Node trusts. */
  readonly certificateAuthorities: readonly string[];
  /** Of the objects that one fetch brings; default 200 MiB. */
  readonly maxBytes?: number;
}

export interface Git {
  /**
   * Brings a revision to the disk. One that is there already costs one question to the host.
   *
   * @throws AppError `GitUnavailable`, `EgressDenied`, `VerificationFailed`; `ChartSecretInvalid` for keys of a policy that cannot be read.
   */
  checkout(request: GitRequest, signal: AbortSignal): Promise<GitCheckout>;
  /** The folder of the revision that was brought last; undefined when there is none. */
  latest(request: Pick<GitRequest, 'source' | 'git'>): Promise<string | undefined>;
  /** Another folder of a commit that was brought, without asking the host; it stays until another revision is brought. Undefined when there is none. */
  beside(request: Pick<GitRequest, 'source' | 'git'>, other: OtherFolder, signal: AbortSignal): Promise<string | undefined>;
}

interface OtherFolder {
  readonly commit: string;
  readonly path: string;
}

const ASK_MS = 30_000;
const FETCH_MS = 300_000;
const MAX_FILES = 20_000;

/** Brings revisions of repositories to the disk: shallow, without tags and submodules; links become files with the path in them. */
export function createGit({ homeDir, allowEgress, certificateAuthorities, maxBytes = MAX_REVISION_BYTES }: GitOptions): Git {
  const policy = createEgressPolicy(allowEgress);
  return {
    checkout: async (request, signal) => {
      const place = placeOf(homeDir, request);
      await mkdir(place, { recursive: true, mode: 0o700 });
      const { url } = request.git;
      const { credentials } = request;
      const input = { url, place, policy, certificateAuthorities, ...(credentials === undefined ? {} : { credentials }) };
      return await withConnection(input, (env) => bring({ ...request, url, place, env, signal, maxBytes }));
    },
    latest: async (request) => {
      const place = placeOf(homeDir, request);
      const names = await readdir(place).catch(() => []);
      const name = names.find((one) => one.startsWith('files-'));
      return name === undefined ? undefined : join(place, name);
    },
    beside: async (request, { commit, path }, signal) => {
      const place = placeOf(homeDir, request);
      const { url } = request.git;
      const repository = join(place, 'repository.git');
      const folder = join(place, `beside-${keyOf([commit, path])}`);
      if (existsSync(folder)) return folder;
      if (!existsSync(repository)) return undefined;
      const work = { source: request.source, git: { ...request.git, path }, url, place, env: offlineEnvironment(place), signal };
      try {
        await writeFiles(work, { repository, commit, folder });
        return folder;
      } catch (error) {
        if (isAppError(error, 'GitUnavailable')) return undefined;
        throw error;
      }
    },
  };
}

/** A short name for what identifies the files of a revision. */
function keyOf(identity: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16);
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

type Work = GitRequest & GitWork;

async function bring(work: Work): Promise<GitCheckout> {
  const { git, place, verification } = work;
  const repository = join(place, 'repository.git');
  if (!existsSync(repository)) await createRepository(work, repository);
  const { name, commit, tip } = await resolveRef(work, repository);
  const revision = `${name}@sha1:${commit}`;
  const identity = verification === undefined ? [commit, git.path] : [commit, git.path, tip, name, verification.digest];
  const folder = join(place, `files-${keyOf(identity)}`);
  const known = `${folder.replace('files-', 'commit-')}.json`;
  if (existsSync(folder)) {
    // A process that died after it brought the revision has left the one before, too.
    await forgetOthers(place, [folder, known]);
    return { folder, revision, ...(await readCommit(known)) };
  }
  await fetchTip(work, repository, { tip, commit });
  const signedBy = verification === undefined ? undefined : await verify(work, { repository, name, commit, tip, verification });
  const described = await describeCommit(work, repository, commit);
  await writeFile(known, JSON.stringify({ ...described, ...(signedBy === undefined ? {} : { signedBy }) }));
  await writeFiles(work, { repository, commit, folder });
  await forgetOthers(place, [folder, known]);
  return { folder, revision, ...(await readCommit(known)) };
}

/** OpenPGP is large, and few ask for it. */
async function verify(work: Work, revision: Parameters<typeof verifyRevision>[1]): Promise<string> {
  const { verifyRevision } = await import('./verify-revision.ts');
  return await verifyRevision(work, revision);
}

/**
 * Fetches the commit whole. Of a repository for which that is too much, the folder of the source alone is fetched from then on, where the host can leave files out:
 * a partial clone.
 */
async function fetchTip(work: Work, repository: string, { tip, commit }: Pick<Resolved, 'tip' | 'commit'>): Promise<void> {
  await boundRepository(work, repository);
  const large = join(work.place, 'large');
  if (!existsSync(large)) {
    try {
      return await fetchObjects(work, repository, ['--depth=1'], [tip]);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      await createRepository(work, repository);
      await writeFile(large, '');
    }
  }
  await fetchObjects(work, repository, ['--depth=1', WITHOUT_FILES], [tip]);
  const files = await filesIn(work, repository, `${commit}:${work.git.path}`);
  for (let from = 0; from < files.length; from += FILES_A_FETCH) {
    await fetchObjects(work, repository, [WITHOUT_FILES], files.slice(from, from + FILES_A_FETCH));
  }
}

const WITHOUT_FILES = '--filter=blob:none';
/** All of them are arguments of a program. */
const FILES_A_FETCH = 2_000;

async function fetchObjects(work: Work, repository: string, options: readonly string[], objects: readonly string[]): Promise<void> {
  try {
    const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', ...options, '--', work.git.url, ...objects];
    await runGit(work, ['--git-dir', repository, ...fetch], FETCH_MS);
  } catch (error) {
    // Whoever was ended in the middle leaves locks and half a pack behind.
    await removeRepository(work, repository);
    throw error;
  }
}

/** The objects that the files of a folder are, each once. */
async function filesIn(work: Work, repository: string, tree: string): Promise<readonly string[]> {
  const listed = await listTree(work, repository, { tree, options: [] });
  if (listed.length > MAX_FILES) throw tooManyFiles(work, `${listed.length} files`);
  return [...new Set(listed.flatMap((line) => /^\d+ blob ([0-9a-f]+)\t/.exec(line)?.[1] ?? []))];
}

/** Each revision leaves its objects behind; when they are too many, the repository begins anew. */
async function boundRepository(work: Work, repository: string): Promise<void> {
  const counted = await runGit(work, ['--git-dir', repository, 'count-objects', '-v'], ASK_MS).catch(() => 'size: Infinity');
  const kibibytes = [...counted.matchAll(/^size(?:-pack|-garbage)?: (\w+)$/gm)].reduce((sum, [, size]) => sum + Number(size), 0);
  if (kibibytes * 1024 <= (work.maxBytes ?? MAX_REVISION_BYTES)) return;
  await removeRepository(work, repository);
  await createRepository(work, repository);
}

/** A repository comes and goes all at once: half of one, left by a process that died, would never be read again. */
async function createRepository(work: Work, repository: string): Promise<void> {
  const draft = await mkdtemp(join(work.place, 'draft-'));
  await runGit(work, ['init', '--quiet', '--bare', '--', draft], ASK_MS);
  await rename(draft, repository);
}

async function removeRepository({ place }: Work, repository: string): Promise<void> {
  if (!existsSync(repository)) return;
  const draft = await mkdtemp(join(place, 'draft-'));
  await rename(repository, draft);
  await rm(draft, { recursive: true, force: true });
}

const MAX_MESSAGE = 1_000;

/** Author, message and time of a commit, as its repository tells them: foreign texts of any length. */
async function describeCommit(work: Work, repository: string, commit: string): Promise<SourceCommit> {
  const format = '--format=%an <%ae>%x00%at%x00%B';
  const output = await runGit(
    work,
    ['--git-dir', repository, 'log', '-1', '--no-show-signature', '--encoding=UTF-8', format, commit],
    ASK_MS,
  );
  const [author = '', seconds = '', message = ''] = output.split('\0');
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

/** The commit that the ref of the source names now, by asking the host. */
export async function resolveRef(work: Work, repository: string): Promise<Resolved> {
  const { ref = {}, url } = work.git;
  if (ref.commit !== undefined) return { name: 'commit', commit: ref.commit, tip: ref.commit };
  const wanted = wantedRefs(ref);
  const listed = await runGit(work, ['--git-dir', repository, 'ls-remote', '--symref', '--', url, ...wanted], ASK_MS);
  const commits = new Map(
    listed.split('\n').flatMap((line): [string, string][] => {
      const [, commit, name] = /^([0-9a-f]{40})\t(\S+)$/.exec(line) ?? [];
      return commit === undefined || name === undefined ? [] : [[name, commit]];
    }),
  );
  // An annotated tag is an object of its own; `^{}` is the commit that it names. Old hosts give out what a ref names, and nothing else.
  const resolved = (name: string, shown: string): Resolved | undefined => {
    const tip = commits.get(name);
    return tip === undefined ? undefined : { name: shown, commit: commits.get(`${name}^{}`) ?? tip, tip };
  };
  if (ref.semver !== undefined) return newestTag(work, { range: ref.semver, names: [...commits.keys()], resolved });
  const [name = 'HEAD'] = wanted;
  const head = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listed)?.[1] ?? '';
  // The name goes into commands that people copy.
  const shown = name === 'HEAD' ? (PLAIN_NAME.exec(head)?.[0] ?? 'HEAD') : name.replace(/^refs\/(heads|tags)\//, '');
  const found = resolved(name, shown);
  if (found === undefined) throw unavailable(work, `it has no ${name === 'HEAD' ? 'default branch' : name.replace(/^refs\//, '')}`);
  return found;
}

const PLAIN_NAME = /^[A-Za-z0-9_][A-Za-z0-9_./+-]{0,254}$/;

/** What a ref names: the object itself is the tip, an annotated tag or the commit. */
interface Resolved {
  readonly name: string;
  readonly commit: string;
  readonly tip: string;
}

function wantedRefs({ branch, tag, semver: range }: NonNullable<GitRequest['git']['ref']>): readonly string[] {
  if (range !== undefined) return ['refs/tags/*'];
  if (tag !== undefined) return [`refs/tags/${tag}`, `refs/tags/${tag}^{}`];
  return [branch === undefined ? 'HEAD' : `refs/heads/${branch}`];
}

interface TagsInput {
  readonly range: string;
  readonly names: readonly string[];
  readonly resolved: (name: string, shown: string) => Resolved | undefined;
}

function newestTag(work: Work, { range, names, resolved }: TagsInput): Resolved {
  if (semver.validRange(range) === null) throw unavailable(work, `${JSON.stringify(range)} is not a range of versions`);
  const tags = names.flatMap((name) => (name.startsWith('refs/tags/') && !name.endsWith('^{}') ? [name.slice('refs/tags/'.length)] : []));
  const newest = tags.filter((tag) => semver.satisfies(tag, range)).sort(semver.rcompare)[0];
  const found = newest === undefined ? undefined : resolved(`refs/tags/${newest}`, newest);
  if (found === undefined) throw unavailable(work, `no tag is a version in the range ${range}`);
  return found;
}

/** Writes the files of a commit beside the repository; they appear all at once. */
async function writeFiles(work: Work, input: { repository: string; commit: string; folder: string }): Promise<void> {
  const { git, place } = work;
  const { repository, commit, folder } = input;
  const tree = `${commit}:${git.path}`;
  await boundFiles(work, repository, tree);
  const draft = await mkdtemp(join(place, 'draft-'));
  try {
    const env = { ...work.env, GIT_INDEX_FILE: `${draft}.index` };
    const base = ['--git-dir', repository, '--work-tree', draft];
    await runGit({ ...work, env }, [...base, 'read-tree', '--reset', tree], ASK_MS);
    await runGit({ ...work, env }, [...base, 'checkout-index', '--all', '--force', '--quiet'], FETCH_MS);
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(`${draft}.index`, { force: true });
  }
}

/** A few objects can stand for any number of files of any size. */
async function boundFiles(work: Work, repository: string, tree: string): Promise<void> {
  const listed = await listTree(work, repository, { tree, options: ['-l'] });
  const sizes = listed.map((line) => Number(/^\d+ blob [0-9a-f]+ +(\d+)\t/.exec(line)?.[1] ?? 0));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (sizes.length > MAX_FILES || bytes > MAX_REVISION_BYTES)
    throw tooManyFiles(work, `${sizes.length} files of ${Math.ceil(bytes / 1024 / 1024)} MiB`);
}

/** What is in a folder of a commit, a line each. */
async function listTree(
  work: Work,
  repository: string,
  { tree, options }: { readonly tree: string; readonly options: readonly string[] },
): Promise<readonly string[]> {
  const list = ['--git-dir', repository, 'ls-tree', '-r', ...options, '-z', tree];
  const listed = await runGit(work, list, ASK_MS).catch((error: unknown) => {
    if (!/not a valid object|Not a tree|does not exist/i.test(String(error))) throw error;
    throw unavailable(work, `the commit ${tree.slice(0, 12)} has no folder ${JSON.stringify(work.git.path)}`);
  });
  return listed.split('\0').filter((line) => line !== '');
}

function tooManyFiles(work: Work, count: string): Error {
  const limits = `${MAX_FILES.toLocaleString('en')} files of 200 MiB together`;
  return unavailable(work, `the folder has ${count}; it may have ${limits}; set spec.git.path`);
}

async function forgetOthers(place: string, kept: readonly string[]): Promise<void> {
  const others = (await readdir(place)).filter((name) => /^(files|beside|draft|commit)-/.test(name) && !kept.includes(join(place, name)));
  await Promise.all(others.map((name) => rm(join(place, name), { recursive: true, force: true })));
}
