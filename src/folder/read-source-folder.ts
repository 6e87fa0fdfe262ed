import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import type { ParsedFolder, ReadRevision } from '../domain/source/stock.ts';
import { kustomizationIn, renderKustomization } from './kustomize.ts';
import { parseFiles } from './parse-files.ts';
import { readFolder } from './read-folder.ts';

export interface ReadOptions {
  /** What the content is called; by default by its digest. */
  readonly read?: ReadRevision;
  /** A digest whose content need not be parsed again. */
  readonly known?: string;
  /** The folder of a kustomization, below the folder that is read. */
  readonly kustomize?: string;
}

/**
 * Makes a reader of folders and of the documents in them. A folder with a kustomization is rendered.
 *
 * @param kubectl the program.
 */
export function createFolderReader(kubectl: string): (path: string, options?: ReadOptions) => Promise<ParsedFolder> {
  return async (path, { read, known, kustomize } = {}) => {
    if (kustomize !== undefined || kustomizationIn(path) !== undefined)
      return await readKustomization(kubectl, path, { read, known, kustomize });
    const content = await readFolder(path);
    if (content.kind === 'Vanished') return content;
    if (content.revision === known) return { kind: 'Unchanged' };
    const { revision, commit }: ReadRevision = read ?? content;
    return { ...content, revision, ...(commit === undefined ? {} : { commit }), files: await parseFiles(content.files) };
  };
}

async function readKustomization(
  kubectl: string,
  root: string,
  { read, known, kustomize = '' }: { readonly [K in keyof ReadOptions]: ReadOptions[K] | undefined },
): Promise<ParsedFolder> {
  const path = join(root, kustomize);
  if (relative(root, path).startsWith('..') || kustomizationIn(path) === undefined)
    return { kind: 'Vanished', why: `there is no kustomization.yaml in ${JSON.stringify(kustomize)}` };
  const { text, documents, faults } = await renderKustomization({ kubectl, root, path });
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  if (digest === known) return { kind: 'Unchanged' };
  return { kind: 'Read', files: [{ documents, faults }], faults: [], ...(read ?? { revision: digest }) };
}
