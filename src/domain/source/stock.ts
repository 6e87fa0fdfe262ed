import { listAt, textAt } from '../core/read.ts';
import { CRD, type KnownType } from '../kubernetes/resource-types.ts';
import type { SourceFault } from './catalog-source.ts';
import { checkDocuments, type CheckedDocuments, type SourceRules } from './check-documents.ts';
import type { SourceCommit } from './git-source.ts';
import type { KeptFile } from './kept-revisions.ts';
import type { ParsedFile, SourceDocument } from './parse-file.ts';

/** What was read, and for a repository who committed it. */
export interface ReadRevision {
  readonly revision: string;
  readonly commit?: SourceCommit;
}

/** A folder with the documents of its files. */
export type ParsedFolder =
  | { readonly kind: 'Vanished'; readonly why: string }
  | { readonly kind: 'Unchanged' }
  | (ReadRevision & {
      readonly kind: 'Read';
      readonly files: readonly ParsedFile[];
      /** Of files that are there but could not be read; `file` is the one. */
      readonly faults: readonly SourceFault[];
      /** The files of a folder, as they may be kept and shown; absent for a repository or artifact, which has its revisions itself. Undefined where the folder has changed since. */
      readonly keptFiles?: () => Promise<readonly KeptFile[] | undefined>;
    });

/** What a folder holds. */
export interface Stock extends CheckedDocuments, ReadRevision {
  readonly files: number;
}

/** The documents of a folder, checked. */
export function stockOf({ files, faults, revision, commit }: Extract<ParsedFolder, { kind: 'Read' }>, rules: SourceRules): Stock {
  const checked = checkDocuments(documentsOf(files), rules);
  const all: SourceFault[] = [...faults, ...files.flatMap((file) => file.faults), ...checked.faults];
  return { ...checked, revision, ...(commit === undefined ? {} : { commit }), faults: all, files: files.length };
}

/** Finds a kind that a cluster serves, as `Discovery.find`. */
export type FindKind = (apiVersion: string, kind: string) => Promise<KnownType | undefined>;

/**
 * Looks up the kinds of documents: those that the cluster serves, and those that a CustomResourceDefinition among the documents brings.
 *
 * @returns `kindOf` of `SourceRules`.
 */
export async function findKinds(files: readonly ParsedFile[], find: FindKind): Promise<SourceRules['kindOf']> {
  const documents = documentsOf(files);
  const kinds = new Map(documents.flatMap(({ content }) => definedKinds(content)));
  const asked = new Set<string>();
  for (const { content } of documents) {
    const [apiVersion = '', kind = ''] = [textAt(content, 'apiVersion'), textAt(content, 'kind')];
    const key = `${apiVersion} ${kind}`;
    if (asked.has(key)) continue;
    asked.add(key);
    const served = await find(apiVersion, kind);
    if (served !== undefined) kinds.set(key, served);
  }
  return (apiVersion, kind) => kinds.get(`${apiVersion} ${kind}`);
}

function documentsOf(files: readonly ParsedFile[]): readonly SourceDocument[] {
  return files.flatMap(({ documents }) => documents);
}

/** The kinds of a CustomResourceDefinition, by apiVersion and kind. */
function definedKinds(content: SourceDocument['content']): [string, KnownType][] {
  const [group, kind, resource] = [
    textAt(content, 'spec', 'group'),
    textAt(content, 'spec', 'names', 'kind'),
    textAt(content, 'spec', 'names', 'plural'),
  ];
  if (content['kind'] !== CRD.kind || group === undefined || kind === undefined || resource === undefined) return [];
  const namespaced = textAt(content, 'spec', 'scope') === 'Namespaced';
  return listAt(content, 'spec', 'versions').flatMap((one) => {
    const version = textAt(one, 'name');
    return version === undefined ? [] : [[`${group}/${version} ${kind}`, { group, version, resource, kind, namespaced }]];
  });
}
