import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import type { KeptFile } from '../domain/source/kept-revisions.ts';
import type { ParsedFolder, ReadRevision } from '../domain/source/stock.ts';
import { kustomizationIn, renderKustomization } from './kustomize.ts';
import { parseFiles } from './parse-files.ts';
import { type FolderContent, readFolder } from './read-folder.ts';
import { withholdSensitive } from './withhold-sensitive.ts';

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
    const files = await parseFiles(content.files);
    const keptFiles = () => Promise.resolve(withholdSensitive(content.files, files));
    return { ...content, revision, ...(commit === undefined ? {} : { commit }), files, ...(read === undefined ? { keptFiles } : {}) };
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
  const before = read === undefined ? await readFolder(root) : undefined;
  const { text, documents, faults } = await renderKustomization({ kubectl, root, path });
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  if (digest === known) return { kind: 'Unchanged' };
  const rendered = { kind: 'Read', files: [{ documents, faults }], faults: [] } as const;
  return { ...rendered, ...(read ?? { revision: digest, keptFiles: () => keptFilesOf(root, before) }) };
}

/** The YAML files that a kustomization was made of; undefined when they are no longer those. */
async function keptFilesOf(root: string, before: FolderContent | undefined): Promise<readonly KeptFile[] | undefined> {
  const content = await readFolder(root);
  if (content.kind === 'Vanished' || before?.kind !== 'Read' || before.revision !== content.revision) return undefined;
  return withholdSensitive(content.files, await parseFiles(content.files));
}
