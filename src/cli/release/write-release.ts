import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import { activateRelease, newRelease } from '../../domain/release/new-release.ts';
import { type FileChange, upgradeTarget } from '../../domain/release/upgrade-target.ts';
import { wrong } from '../options.ts';
import { readTree } from './read-tree.ts';
import type { ReleaseArguments, ReleaseOutput } from './release-command.ts';
import { fileLines, upgradeLines } from './release-lines.ts';

/** `chandlery release new VERSION`. */
export async function createRelease(given: ReleaseArguments): Promise<ReleaseOutput> {
  const [version = ''] = given.words;
  const from = given.text('from');
  const changes = newRelease(await readTree(given.root), {
    version,
    ...(from === undefined ? {} : { from }),
    components: new Map(given.texts('component').map(componentOf)),
  });
  return await write(given, changes);
}

/** `chandlery release activate VERSION`. */
export async function makeActive(given: ReleaseArguments): Promise<ReleaseOutput> {
  const [version = ''] = given.words;
  return await write(given, [activateRelease(await readTree(given.root), version)]);
}

/** `chandlery release upgrade INSTALLATION/CLUSTER --to VERSION`. */
export async function upgrade(given: ReleaseArguments): Promise<ReleaseOutput> {
  const [target = ''] = given.words;
  const [to, only] = [given.text('to'), given.text('only')];
  if (to === undefined) throw wrong('release upgrade', 'name the release, e.g. --to v22.0.0');
  const done = upgradeTarget(await readTree(given.root), { target, to, ...(only === undefined ? {} : { only }) });
  if (!given.flag('dry-run')) await writeChanges(given.root, done.changes);
  return { data: done, lines: upgradeLines(done) };
}

async function write(given: ReleaseArguments, changes: readonly FileChange[]): Promise<ReleaseOutput> {
  if (!given.flag('dry-run')) await writeChanges(given.root, changes);
  return { data: { changes }, lines: changes.map(fileLines) };
}

function componentOf(text: string): [string, string] {
  const [name = '', version] = text.split('=');
  if (name === '' || version === undefined || version === '') {
    throw wrong('release new', `--component: ${JSON.stringify(text)} is not a component and its version, such as redis=19.1.0`);
  }
  return [name, version];
}

/**
 * Writes changes into a working tree. Every file is written beside its place first, and only when all are there do they take their places, in order; so a
 * full disk changes nothing, and no file is ever half written.
 *
 * @throws AppError `ReleaseRejected` for a link on the way and for a file that somebody changed meanwhile; nothing is written then.
 */
async function writeChanges(root: string, changes: readonly FileChange[]): Promise<void> {
  const folder = await realpath(root);
  for (const change of changes) await checkPlace(folder, change);
  const drafts: { readonly draft: string; readonly place: string }[] = [];
  try {
    for (const { path, after } of changes) if (after !== undefined) drafts.push(await writeDraft(join(folder, path), after));
    for (const { draft, place } of drafts) await rename(draft, place);
  } catch (error) {
    await Promise.all(drafts.map(({ draft }) => rm(draft, { force: true })));
    throw error;
  }
  for (const { path, after } of changes) if (after === undefined) await rm(join(folder, path));
}

async function checkPlace(folder: string, { path, before }: FileChange): Promise<void> {
  const names = path.split('/');
  if (names.some((name) => ['', '.', '..', '.git'].includes(name))) throw rejection(path, 'it is not a place inside the tree');
  for (const [index] of names.entries()) {
    const at = join(folder, ...names.slice(0, index + 1));
    const found = await lstat(at).catch((error: unknown) => {
      if (textAt(error, 'code') === 'ENOENT') return undefined;
      throw error;
    });
    if (found?.isSymbolicLink() === true)
      throw rejection(path, `${names.slice(0, index + 1).join('/')} is a link, and links are not followed`);
  }
  const now = await readFile(join(folder, path), 'utf8').catch((error: unknown) => {
    if (textAt(error, 'code') === 'ENOENT') return undefined;
    throw error;
  });
  if (now !== before) throw rejection(path, 'somebody changed it meanwhile; run the command again');
}

function rejection(path: string, why: string): AppError {
  return new AppError('ReleaseRejected', `release: ${path}: ${why}`);
}

async function writeDraft(place: string, text: string): Promise<{ draft: string; place: string }> {
  await mkdir(dirname(place), { recursive: true });
  const draft = join(dirname(place), `.${basename(place)}.${randomBytes(6).toString('hex')}.tmp`);
  const file = await open(draft, 'wx', 0o666);
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return { draft, place };
}
