import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import type { FileChange } from '../../domain/release/upgrade-target.ts';

/**
 * Writes changes into a working tree. Every file is written beside its place first, and only when all are there do they take their places, in order; so a
 * full disk changes nothing, and no file is ever half written.
 *
 * @throws AppError `ReleaseRefused` for a link on the way and for a file that somebody changed meanwhile; nothing is written then.
 */
export async function writeChanges(root: string, changes: readonly FileChange[]): Promise<void> {
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
  if (names.some((name) => ['', '.', '..', '.git'].includes(name))) throw refusal(path, 'it is not a place inside the tree');
  for (const [index] of names.entries()) {
    const at = join(folder, ...names.slice(0, index + 1));
    const found = await lstat(at).catch((error: unknown) => {
      if (textAt(error, 'code') === 'ENOENT') return undefined;
      throw error;
    });
    if (found?.isSymbolicLink() === true)
      throw refusal(path, `${names.slice(0, index + 1).join('/')} is a link, and links are not followed`);
  }
  const now = await readFile(join(folder, path), 'utf8').catch((error: unknown) => {
    if (textAt(error, 'code') === 'ENOENT') return undefined;
    throw error;
  });
  if (now !== before) throw refusal(path, 'somebody changed it meanwhile; run the command again');
}

function refusal(path: string, why: string): AppError {
  return new AppError('ReleaseRefused', `release: ${path}: ${why}`);
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
