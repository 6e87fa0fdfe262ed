import { AppError } from '../core/errors.ts';
import type { JsonObject, KubeObject } from '../kubernetes/resource.ts';
import { parseApiVersion } from '../kubernetes/resource.ts';
import { addDocument, addToKustomization, type DocumentTarget, hasDocument, patchDocument } from './edit-document.ts';

/** The YAML files of the folder of a source, by their paths in it, at the commit that a branch begins with. */
export interface RepositoryFiles {
  /** Sorted. */
  readonly paths: readonly string[];
  /** Undefined for a file that is not there. @throws AppError `ProposalImpossible` for one that is too large or no text. */
  read(path: string): Promise<string | undefined>;
}

/** What becomes of the files of a source: their whole texts. */
export type FileEdits = ReadonlyMap<string, string>;

export type ProposedEdit =
  | DocumentEdit
  /** The whole folder as it was in an earlier commit, what is no YAML included. */
  | { readonly kind: 'Restore'; readonly commit: string };

/** A change of one document. */
export type DocumentEdit =
  /** A resource that is in no file yet. */
  | { readonly kind: 'Add'; readonly object: KubeObject; readonly plural: string }
  | {
      readonly kind: 'Patch';
      readonly target: DocumentTarget;
      /** A JSON Merge Patch of the document. */
      readonly patch: JsonObject;
      /** The file that the inventory of the source names; it is looked for everywhere when it is not there. */
      readonly file?: string;
    };

/** @throws AppError `ProposalImpossible` when the repository has no place for it. */
export async function editRepository(files: RepositoryFiles, edit: DocumentEdit): Promise<FileEdits> {
  return edit.kind === 'Add' ? await add(files, edit) : await patch(files, edit);
}

/** The document of a resource in the group, as files name it. */
export function targetOf({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): DocumentTarget {
  return { group: parseApiVersion(apiVersion).group, kind, ...(namespace === undefined ? {} : { namespace }), name };
}

/** `<kind plural>/<namespace>/<name>.yaml`, without a namespace for cluster-scoped resources. */
function fileForNew({ object, plural }: Extract<ProposedEdit, { kind: 'Add' }>): string {
  const { namespace, name } = object.metadata;
  return [plural, ...(namespace === undefined ? [] : [namespace]), `${name}.yaml`].join('/');
}

async function add(files: RepositoryFiles, edit: Extract<ProposedEdit, { kind: 'Add' }>): Promise<FileEdits> {
  const target = targetOf(edit.object);
  const known = await findFile(files, target);
  if (known !== undefined) throw impossible(`${known} has a document of ${target.kind} ${target.name} already; change that one`);
  const file = fileForNew(edit);
  const edits = new Map([[file, addDocument(await files.read(file), edit.object)]]);
  const kustomization = kustomizationAbove(files, file);
  if (kustomization === undefined || files.paths.includes(file)) return edits;
  const folder = kustomization.slice(0, kustomization.lastIndexOf('/') + 1);
  return edits.set(kustomization, addToKustomization((await files.read(kustomization)) ?? '', file.slice(folder.length)));
}

/** The one that is nearest. */
function kustomizationAbove({ paths }: RepositoryFiles, file: string): string | undefined {
  const folders = file.split('/').map((_part, index, parts) =>
    parts
      .slice(0, parts.length - 1 - index)
      .map((part) => `${part}/`)
      .join(''),
  );
  return folders.flatMap((folder) => KUSTOMIZATIONS.map((name) => folder + name)).find((path) => paths.includes(path));
}

const KUSTOMIZATIONS = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

async function patch(files: RepositoryFiles, { target, file, ...edit }: Extract<ProposedEdit, { kind: 'Patch' }>): Promise<FileEdits> {
  const named = file === undefined ? undefined : await files.read(file);
  const found = named !== undefined && hasDocument(named, target) ? file : await findFile(files, target);
  const text = found === undefined ? undefined : await files.read(found);
  if (found === undefined || text === undefined)
    throw impossible(
      `no file of the folder has a document of ${target.kind} ${target.name}; a kustomization, an overlay or a template may generate it: change that by hand`,
    );
  const changed = patchDocument(text, target, edit.patch);
  if (changed === text) throw impossible(`${found} says the same already; the source applies it with its next sync`);
  return new Map([[found, changed]]);
}

async function findFile(files: RepositoryFiles, target: DocumentTarget): Promise<string | undefined> {
  for (const path of files.paths) if (hasDocument((await files.read(path)) ?? '', target)) return path;
  return undefined;
}

function impossible(why: string): AppError {
  return new AppError('ProposalImpossible', `proposal: ${why}`);
}
