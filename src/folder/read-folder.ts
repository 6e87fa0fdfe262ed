import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { decodeText } from '../domain/yaml/decode-text.ts';
import { AppError } from '../domain/core/errors.ts';
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
  let names: FoundName[];
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
  for (const name of names.slice(0, MAX_FILES)) {
    const read = await readOne(root, name);
    if (read === undefined) continue;
    if ('text' in read) files.push(read);
    if ('message' in read) faults.push(read);
  }
  return { kind: 'Read', files, faults, revision: revisionOf(files, faults) };
}

interface FoundName {
  /** Below the root, with `/`. */
  readonly file: string;
  readonly isLink: boolean;
}

async function listFiles(root: string, folder: string, depth: number): Promise<FoundName[]> {
  const found: FoundName[] = [];
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (isIgnoredName(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < MAX_DEPTH) found.push(...(await listFiles(root, path, depth + 1)));
    if (!entry.isDirectory() && /\.ya?ml$/i.test(entry.name))
      found.push({ file: relative(root, path).split(sep).join('/'), isLink: entry.isSymbolicLink() });
  }
  return found;
}

/** One file, or the fault that says why it was not read; nothing for a file that has just gone. */
async function readOne(root: string, { file, isLink }: FoundName): Promise<SourceFile | SourceFault | undefined> {
  const path = join(root, file);
  try {
    const target = isLink ? await realpath(path) : path;
    if (!target.startsWith(root + sep))
      return wholeFile(file, 'the file is a link that leads out of the catalogue folder; put a copy of it here instead');
    const found = await readBounded(target);
    if (found === 'Irregular') return wholeFile(file, 'it is not a regular file; replace it, or give it another name');
    if ('size' in found) return wholeFile(file, `the file has ${found.size} bytes, at most ${MAX_FILE_BYTES} are allowed; split it`);
    // Programs that write a file in place empty it first; nothing is deleted for that moment.
    return found.text === ''
      ? wholeFile(file, 'the file is empty; delete it if its resources are to be deleted')
      : { file, text: found.text };
  } catch (error) {
    if (isGone(error)) return isLink ? wholeFile(file, 'the file is a broken link') : undefined;
    return wholeFile(file, `cannot read the file: ${reasonOf(error)}`);
  }
}

/** A file may become a link, or a pipe, after the folder was listed. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Reads a regular file unless it is too large; neither follows a link nor waits for the other end of a pipe. */
async function readBounded(path: string): Promise<'Irregular' | { readonly size: number } | { readonly text: string }> {
  await using handle = await open(path, FLAGS);
  const found = await handle.stat();
  if (!found.isFile()) return 'Irregular';
  if (found.size > MAX_FILE_BYTES) return { size: found.size };
  const buffer = Buffer.alloc(found.size);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  return { text: decodeText(buffer.subarray(0, bytesRead)).replace(/^\uFEFF/, '') };
}

function revisionOf(files: readonly SourceFile[], faults: readonly SourceFault[]): string {
  const hash = createHash('sha256');
  for (const { file, text } of files) hash.update(`${JSON.stringify([file, text.length])}\n`).update(text);
  for (const { file, message } of faults) hash.update(`${JSON.stringify([file, message])}\n`);
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
  if (error instanceof AppError) return error.message;
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'ENOTDIR') return 'it is not a folder';
  if (code === 'ENXIO') return 'it is not a regular file';
  if (code === 'ELOOP') return 'it has become a link';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  return code === '' ? error.message : code;
}

/** Whether a file or folder is left alone: dotfiles, and what editors leave beside a file while it is being edited. */
export function isIgnoredName(name: string): boolean {
  return name.startsWith('.') || name.endsWith('~') || name.startsWith('#') || /\.(swp|swx|swo|tmp|bak|orig)$/i.test(name);
}
