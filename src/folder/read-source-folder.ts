import type { ParsedFolder, ReadRevision } from '../domain/source/stock.ts';
import { parseFiles } from './parse-files.ts';
import { readFolder } from './read-folder.ts';

export interface ReadOptions {
  /** What the content is called; by default by its digest. */
  readonly read?: ReadRevision;
  /** A digest whose content need not be parsed again. */
  readonly known?: string;
}

/** Reads a folder and the documents in it. */
export async function readSourceFolder(path: string, { read, known }: ReadOptions = {}): Promise<ParsedFolder> {
  const content = await readFolder(path);
  if (content.kind === 'Vanished') return content;
  if (content.revision === known) return { kind: 'Unchanged' };
  const { revision, commit }: ReadRevision = read ?? content;
  return { ...content, revision, ...(commit === undefined ? {} : { commit }), files: await parseFiles(content.files) };
}
