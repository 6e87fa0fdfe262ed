import type { ParsedFolder, ReadRevision } from '../domain/source/stock.ts';
import { parseFiles } from './parse-files.ts';
import { readFolder } from './read-folder.ts';

/** Reads a folder and the documents in it. Without a revision, the digest of its content is one. */
export async function readSourceFolder(path: string, read?: ReadRevision): Promise<ParsedFolder> {
  const content = await readFolder(path);
  if (content.kind === 'Vanished') return content;
  const { revision, commit }: ReadRevision = read ?? content;
  return { ...content, revision, ...(commit === undefined ? {} : { commit }), files: await parseFiles(content.files) };
}
