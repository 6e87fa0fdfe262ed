import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../domain/core/errors.ts';
import type { FileEdits, RepositoryFiles } from '../domain/proposal/edit-repository.ts';
import type { GitRequest } from '../domain/source/git-source.ts';
import { createEgressPolicy } from '../egress/egress-policy.ts';
import { withConnection } from './connection.ts';
import { type GitOptions, resolveRef } from './git.ts';
import { type GitWork, runGit } from './run-git.ts';

/** A commit on a new branch, as somebody wants it. */
export interface WantedBranch {
  readonly branch: string;
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
  /** Decides what becomes of the files, or names the commit whose content the folder of the source gets. */
  readonly edit: ((files: RepositoryFiles) => Promise<FileEdits>) | { readonly restore: string };
}

interface Signature {
  readonly name: string;
  readonly email: string;
}

export interface PushedBranch {
  /** The branch that it begins with, and is to be merged into. */
  readonly base: string;
  readonly commit: string;
  /** From the root of the repository. */
  readonly files: readonly string[];
}

export interface GitPush {
  /**
   * Commits what `edit` makes of the YAML files to a new branch and pushes it. The branch begins with the one that the source follows; with the default branch for a
   * source that follows a tag, a range or a commit. Nothing else of the commit is touched, no link is followed, and no existing branch is overwritten.
   *
   * @throws AppError `GitUnavailable`, `EgressDenied`, `ProposalImpossible`.
   */
  push(request: GitRequest, wanted: WantedBranch, signal: AbortSignal): Promise<PushedBranch>;
  /** Deletes a branch that `push` has made, unless somebody has changed it meanwhile. Throws AppError `GitUnavailable`, `EgressDenied`. */
  remove(request: GitRequest, pushed: Pick<PushedBranch, 'commit'> & { readonly branch: string }, signal: AbortSignal): Promise<void>;
}

const MAX_FILES = 2_000;
const MAX_FILE_BYTES = 1024 * 1024;
/** File names of one command line. */
const BATCH = 500;
const STEP_MS = 60_000;

/** Pushes branches. Each push has a folder of its own, which goes away with it. */
export function createGitPush({ homeDir, allowEgress, certificateAuthorities }: GitOptions): GitPush {
  const policy = createEgressPolicy(allowEgress);
  const connected = async <T>(request: GitRequest, signal: AbortSignal, task: (work: Work) => Promise<T>): Promise<T> => {
    const { git, credentials } = request;
    await mkdir(homeDir, { recursive: true, mode: 0o700 });
    const place = await mkdtemp(join(homeDir, 'push-'));
    const { ref: { branch } = {}, ...anyRef } = git;
    const followed = branch === undefined ? anyRef : { ...anyRef, ref: { branch } };
    const given = credentials === undefined ? {} : { credentials };
    try {
      return await withConnection({ url: git.url, place, policy, certificateAuthorities, ...given }, async (env) =>
        task({ ...request, git: followed, url: git.url, place, env, signal }),
      );
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  };
  return {
    push: async (request, wanted, signal) => await connected(request, signal, async (work) => await pushBranch(work, wanted)),
    remove: async (request, pushed, signal) => await connected(request, signal, async (work) => await removeBranch(work, pushed)),
  };
}

type Work = GitRequest & GitWork;

async function pushBranch(work: Work, wanted: WantedBranch): Promise<PushedBranch> {
  const { url, place, git } = work;
  const repository = join(place, 'repository.git');
  await mkdir(join(place, 'files'));
  await runGit(work, ['init', '--quiet', '--bare', '--', repository], STEP_MS);
  const base = await resolveRef(work, repository);
  const push: Push = { ...wanted, place, path: git.path, commit: base.commit, run: runIn(work, repository) };
  await push.run(['fetch', '--quiet', '--depth=1', '--no-tags', '--no-write-fetch-head', '--', url, base.tip]);
  const tree = typeof wanted.edit === 'function' ? await editedTree(push, wanted.edit) : await restoredTree(push, url, wanted.edit.restore);
  const files = (await push.run(['diff-tree', '-r', '--name-only', '-z', base.commit, tree])).split('\0').filter((file) => file !== '');
  if (files.length === 0) throw impossible('nothing would change');
  const commit = await commitTree(push, tree);
  await push.run(['push', '--quiet', '--', url, `${commit}:refs/heads/${wanted.branch}`]);
  return { base: base.name, commit, files: files.sort() };
}

async function removeBranch(work: Work, { branch, commit }: { readonly branch: string; readonly commit: string }): Promise<void> {
  const repository = join(work.place, 'repository.git');
  await runGit(work, ['init', '--quiet', '--bare', '--', repository], STEP_MS);
  const lease = `--force-with-lease=refs/heads/${branch}:${commit}`;
  await runGit(work, ['--git-dir', repository, 'push', '--quiet', lease, '--', work.url, `:refs/heads/${branch}`], STEP_MS);
}

interface Push extends WantedBranch {
  readonly place: string;
  /** The folder of the source in the repository; possibly empty. */
  readonly path: string;
  /** That the branch begins with. */
  readonly commit: string;
  readonly run: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<string>;
}

function runIn(work: Work, repository: string): Push['run'] {
  const within = ['--git-dir', repository, '--work-tree', join(work.place, 'files')];
  return async (args, env = {}) => await runGit({ ...work, env: { ...work.env, ...env } }, [...within, ...args], STEP_MS);
}

/** The regular YAML files of the folder with their modes, brought to the disk. */
async function checkOut({ commit, path, place, run }: Push): Promise<ReadonlyMap<string, string>> {
  const env = { GIT_INDEX_FILE: join(place, 'listed') };
  await run(['read-tree', '--reset', `${commit}:${path}`], env);
  const listed = (await run(['ls-files', '--stage', '-z'], env)).split('\0');
  const entries = new Map(
    listed.flatMap((line): [string, string][] => {
      const [, mode, name] = /^(100644|100755) [0-9a-f]+ 0\t(.*)$/s.exec(line) ?? [];
      return mode === undefined || name === undefined || !isYaml(name) ? [] : [[name, mode]];
    }),
  );
  if (entries.size > MAX_FILES) throw impossible(`the folder has ${entries.size} YAML files, at most ${MAX_FILES} are read`);
  const names = [...entries.keys()];
  for (let at = 0; at < names.length; at += BATCH)
    await run(['checkout-index', '--force', '--quiet', '--', ...names.slice(at, at + BATCH)], env);
  return entries;
}

function isYaml(name: string): boolean {
  return /(\.ya?ml|(^|\/)Kustomization)$/i.test(name);
}

async function readText({ place }: Push, entries: ReadonlyMap<string, string>, path: string): Promise<string | undefined> {
  if (!entries.has(path)) return undefined;
  const file = join(place, 'files', path);
  if ((await stat(file)).size > MAX_FILE_BYTES) throw impossible(`${path} has more than 1 MiB; split the file`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch {
    throw impossible(`${path} is not UTF-8 text`);
  }
}

async function editedTree(push: Push, edit: (files: RepositoryFiles) => Promise<FileEdits>): Promise<string> {
  const entries = await checkOut(push);
  const edits = await edit({ paths: [...entries.keys()].sort(), read: async (path) => await readText(push, entries, path) });
  const { commit: parent, place, run } = push;
  const env = { GIT_INDEX_FILE: join(place, 'committed') };
  await run(['read-tree', '--reset', parent], env);
  for (const [path, text] of edits) {
    await writeFile(join(place, 'blob'), text);
    const blob = await run(['hash-object', '-w', '--no-filters', '--', join(place, 'blob')]);
    const entry = `${entries.get(path) ?? '100644'},${blob.trim()},${fromRoot(push, path)}`;
    await run(['update-index', '--add', '--cacheinfo', entry], env);
  }
  return (await run(['write-tree'], env)).trim();
}

/** The tree of the branch, with the folder of the source as it was in another commit. Nothing is checked out. */
async function restoredTree({ commit: parent, path, place, run }: Push, url: string, wanted: string): Promise<string> {
  await run(['fetch', '--quiet', '--depth=1', '--no-tags', '--no-write-fetch-head', '--', url, wanted]);
  if (path === '') return (await run(['rev-parse', '--verify', '--end-of-options', `${wanted}^{tree}`])).trim();
  const env = { GIT_INDEX_FILE: join(place, 'committed') };
  await run(['read-tree', '--reset', parent], env);
  await run(['--literal-pathspecs', 'rm', '-r', '--cached', '--quiet', '--ignore-unmatch', '--', path], env);
  await run(['read-tree', `--prefix=${path}/`, `${wanted}:${path}`], env);
  return (await run(['write-tree'], env)).trim();
}

/** @returns the new commit. */
async function commitTree({ commit: parent, place, run, message, author, committer }: Push, tree: string): Promise<string> {
  const env = {
    GIT_AUTHOR_NAME: named(author.name),
    GIT_AUTHOR_EMAIL: named(author.email),
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
  };
  await writeFile(join(place, 'message'), message);
  return (await run(['commit-tree', tree, '-p', parent, '-F', join(place, 'message')], env)).trim();
}

function fromRoot({ path }: Push, file: string): string {
  return path === '' ? file : `${path}/${file}`;
}

/** What git takes as a name: it ends at a bracket or a line. */
function named(text: string): string {
  return text.replaceAll(/[<>\p{Cc}]/gu, '').slice(0, 200);
}

function impossible(why: string): AppError {
  return new AppError('ProposalImpossible', `proposal: ${why}`);
}
