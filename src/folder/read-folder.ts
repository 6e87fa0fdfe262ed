import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { SourceFault } from '../domain/source/catalog-source.ts';
import type { SourceFile } from '../domain/source/parse-file.ts';

export type FolderContent =
  | { readonly kind: 'Vanished'; readonly why: string }
  | {
      readonly kind: 'Read';
      readonly files: readonly SourceFile[];
      /** Of files that are there but could not be read; `file` is the one. */
      readonly faults: readonly SourceFault[];
      /** `sha256:<hex>` over names and contents. */
      readonly revision: string;
    };

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_FILES = 2_000;
const MAX_DEPTH = 16;

/** Reads all `.yaml` and `.yml` files of a folder and below, in the order of their names. Links that lead out of it are faults. */
export async function readFolder(path: string): Promise<FolderContent> {
  let root: string;
  let names: string[];
  try {
    root = await realpath(path);
    names = await listFiles(root, root, 0);
  } catch (error) {
    return { kind: 'Vanished', why: reasonOf(error) };
  }
  const files: SourceFile[] = [];
  const faults: SourceFault[] =
    names.length > MAX_FILES
      ? [wholeFile('', `the folder has ${names.length} YAML files, at most ${MAX_FILES} are allowed; split it`)]
      : [];
  for (const file of names.slice(0, MAX_FILES)) {
    const read = await readOne(root, file);
    if (read === undefined) continue;
    if ('text' in read) files.push(read);
    if ('message' in read) faults.push(read);
  }
  return { kind: 'Read', files, faults, revision: revisionOf(files, faults) };
}

async function listFiles(root: string, folder: string, depth: number): Promise<string[]> {
  const found: string[] = [];
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (isIgnoredName(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < MAX_DEPTH) found.push(...(await listFiles(root, path, depth + 1)));
    if (!entry.isDirectory() && /\.ya?ml$/i.test(entry.name)) found.push(relative(root, path).split(sep).join('/'));
  }
  return found;
}

/** One file, or the fault that says why it was not read; nothing for a file that has just gone. */
async function readOne(root: string, file: string): Promise<SourceFile | SourceFault | undefined> {
  const path = join(root, file);
  try {
    const target = await realpath(path);
    if (!target.startsWith(root + sep))
      return wholeFile(file, 'the file is a link that leads out of the catalogue folder; put a copy of it here instead');
    const found = await stat(target);
    if (!found.isFile()) return wholeFile(file, 'it is not a regular file; replace it, or give it another name');
    if (found.size > MAX_FILE_BYTES)
      return wholeFile(file, `the file has ${found.size} bytes, at most ${MAX_FILE_BYTES} are allowed; split it`);
    const text = await readBounded(target);
    // Programs that write a file in place empty it first; nothing is deleted for that moment.
    return text === '' ? wholeFile(file, 'the file is empty; delete it if its resources are to be deleted') : { file, text };
  } catch (error) {
    if (isGone(error)) return (await isLink(path)) ? wholeFile(file, 'the file is a broken link') : undefined;
    return wholeFile(file, `cannot read the file: ${reasonOf(error)}`);
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Reads at most the allowed bytes, whatever the size was a moment ago; never waits for the other end of a pipe. */
async function readBounded(path: string): Promise<string> {
  await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const { size } = await handle.stat();
  const buffer = Buffer.alloc(Math.min(size, MAX_FILE_BYTES));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, bytesRead));
}

function revisionOf(files: readonly SourceFile[], faults: readonly SourceFault[]): string {
  const hash = createHash('sha256');
  for (const { file, text } of files) hash.update(JSON.stringify([file, text]));
  for (const { file, message } of faults) hash.update(JSON.stringify([file, message]));
  return `sha256:${hash.digest('hex')}`;
}

function wholeFile(file: string, message: string): SourceFault {
  return { file, line: 0, column: 0, message };
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'ENOTDIR') return 'it is not a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'it is not UTF-8 text';
  return code === '' ? error.message : code;
}

/** Whether a file or folder is left alone: dotfiles, and what editors leave beside a file while it is being edited. */
export function isIgnoredName(name: string): boolean {
  return name.startsWith('.') || name.endsWith('~') || name.startsWith('#') || /\.(swp|swx|swo|tmp|bak|orig)$/i.test(name);
}
