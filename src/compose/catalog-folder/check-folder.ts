import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { APP_DEFINITION_KIND, type GeneratedNames } from '../../domain/app-definition/app-definition-kind.ts';
import { parseAppDefinitionStatus } from '../../domain/app-definition/app-definition.ts';
import { generatedNames } from '../../domain/app-definition/generated-crd.ts';
import { newlyReserved, reservedNames, reservedNamesFault } from '../../domain/app-definition/reserved-names.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { isObject, listAt, objectAt, textAt } from '../../domain/core/read.ts';
import { specOf } from '../../domain/kind/kind.ts';
import { apiVersionOf, type KubeObject, parseApiVersion } from '../../domain/kubernetes/resource.ts';
import * as resourceTypes from '../../domain/kubernetes/resource-types.ts';
import type { SourceFault } from '../../domain/source/catalog-source.ts';
import { type Candidate, sortFaults } from '../../domain/source/check-documents.ts';
import type { SourceDocument } from '../../domain/source/parse-file.ts';
import { type FindKind, findKinds, type ParsedFolder, stockOf, type Stock } from '../../domain/source/stock.ts';
import type { SourceRules } from '../../domain/source/check-documents.ts';
import { createFolderReader } from '../../folder/read-source-folder.ts';
import { newRules } from '../../schema/rules/check-rules.ts';
import { startStoredChecker } from '../../schema/stored/stored-checker.ts';

/** What a folder of a catalogue holds, and what is wrong with it. */
export interface CheckedFolder {
  readonly revision: string;
  /** Read files. */
  readonly files: number;
  readonly candidates: readonly Candidate[];
  /** The ids of all documents that name a resource. */
  readonly named: Stock['named'];
  readonly faults: readonly SourceFault[];
  /** What could not be checked, a sentence each. */
  readonly unchecked: readonly string[];
}

export interface FolderInput {
  readonly folder: string;
  readonly spec: SourceRules['spec'];
  readonly find: FindKind;
}

type ReadFolder = Extract<ParsedFolder, { kind: 'Read' }>;

interface WholeFolder extends CheckedFolder {
  readonly read: ReadFolder;
  /** It is a file of a folder: what else the folder holds is not known. */
  readonly isFile: boolean;
}

/**
 * Reads a folder, or a single file, and checks its documents as a CatalogSource does before it applies anything.
 *
 * @throws AppError `InvalidInput` when it cannot be read.
 */
export async function readCatalogFolder({ folder, spec, find }: FolderInput): Promise<WholeFolder> {
  const { isFile, ...read } = await parsedFolder(folder);
  const stock = stockOf(read, { spec, kindOf: await findKinds(read.files, find) });
  const { candidates, named, files, revision } = stock;
  return { revision, files, candidates, named, faults: sortFaults(stock.faults), unchecked: [], read, isFile };
}

async function parsedFolder(path: string): Promise<ReadFolder & Pick<WholeFolder, 'isFile'>> {
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  const parsed = await createFolderReader('kubectl')(isFile ? dirname(path) : path);
  if (parsed.kind !== 'Read')
    throw new AppError('InvalidInput', `${path}: ${parsed.kind === 'Vanished' ? parsed.why : 'it cannot be read'}`);
  if (!isFile) return { ...parsed, isFile };
  const own = ({ file }: { readonly file: string }): boolean => file === basename(path);
  const files = parsed.files.map((one) => ({ documents: one.documents.filter(own), faults: one.faults.filter(own) }));
  return {
    ...parsed,
    isFile,
    files: files.filter(({ documents, faults }) => documents.length + faults.length > 0),
    faults: parsed.faults.filter(own),
  };
}

/** A check against schemas needs no cluster: those of our own CRDs, of CRDs in the folder, and of CRDs that somebody names. */
export async function checkOffline(
  input: Omit<FolderInput, 'find'> & { readonly crds: readonly string[]; readonly repoRoot: string },
): Promise<CheckedFolder> {
  const places = [join(input.repoRoot, 'charts', 'chandlery', 'crds'), ...input.crds];
  const named = (await Promise.all(places.map(parsedFolder))).flatMap(documentsOf);
  const guessed = new Set<string>();
  const known = await findKinds([{ documents: named, faults: [] }], (apiVersion, kind) => Promise.resolve(builtInKind(apiVersion, kind)));
  const find: FindKind = async (apiVersion, kind) => {
    const found = known(apiVersion, kind) ?? builtInKind(apiVersion, kind);
    if (found === undefined) guessed.add(`${kind} (${apiVersion})`);
    return await Promise.resolve(found ?? guessedKind(apiVersion, kind));
  };
  const checked = await readCatalogFolder({ ...input, find });
  const schemas = schemasIn([...named, ...documentsOf(checked.read)]);
  const own = [...schemas.keys()];
  const unknown = [...guessed].filter((kind) => !own.includes(kind)).map((kind) => `${kind}: no schema is known; name its CRD with --crds`);
  const bySchema = await Promise.all(
    [...schemas].map(async ([kind, schema]) => {
      const objects = checked.candidates.filter(({ object }) => `${object.kind} (${object.apiVersion})` === kind);
      return await checkBySchema(kind, { schema, candidates: objects });
    }),
  );
  return {
    ...checked,
    faults: sortFaults([...checked.faults, ...bySchema.flatMap(({ faults }) => faults)]),
    unchecked: [...unknown, ...bySchema.flatMap(({ unchecked }) => unchecked)].sort(),
  };
}

function documentsOf({ files }: ReadFolder): readonly SourceDocument[] {
  return files.flatMap(({ documents }) => documents);
}

/** A kind of Kubernetes that the table of the code has. */
function builtInKind(apiVersion: string, kind: string): resourceTypes.KnownType | undefined {
  const types: readonly unknown[] = Object.values(resourceTypes);
  return types
    .filter((one): one is resourceTypes.KnownType => isObject(one) && 'namespaced' in one)
    .find((type) => type.kind === kind && apiVersionOf(type) === apiVersion);
}

/** Without a cluster nobody knows the scope of a kind: names are compared as if it were namespaced. */
function guessedKind(apiVersion: string, kind: string): resourceTypes.KnownType {
  return { ...parseApiVersion(apiVersion), kind, resource: `${kind.toLowerCase()}s`, namespaced: true };
}

/** The schemas of CRDs by `Kind (apiVersion)`. */
function schemasIn(documents: readonly SourceDocument[]): ReadonlyMap<string, unknown> {
  return new Map(
    documents
      .filter(({ content }) => content['kind'] === resourceTypes.CRD.kind)
      .flatMap(({ content }) =>
        listAt(content, 'spec', 'versions').map((version) => {
          const [group = '', kind = ''] = [textAt(content, 'spec', 'group'), textAt(content, 'spec', 'names', 'kind')];
          return [`${kind} (${group}/${textAt(version, 'name') ?? ''})`, objectAt(version, 'schema', 'openAPIV3Schema')] as const;
        }),
      ),
  );
}

const TIMEOUT_MS = 20_000;
/** Stands in for the chart of an address, which has its name in itself. */
const UNNAMED_CHART = 'unnamed-chart';

interface BySchema {
  readonly schema: unknown;
  readonly candidates: readonly Candidate[];
}

/** In a thread that is ended when a schema takes too long. */
async function checkBySchema(kind: string, { schema, candidates }: BySchema): Promise<Pick<CheckedFolder, 'faults' | 'unchecked'>> {
  if (candidates.length === 0) return { faults: [], unchecked: [] };
  const checker = startStoredChecker({ schema, prefix: '', rules: newRules(undefined, schema) }, TIMEOUT_MS);
  try {
    const objects: readonly KubeObject[] = candidates.map(({ object }) => object);
    const answer = await checker.check(objects);
    if (answer === undefined) return { faults: [], unchecked: [`${kind}: its schema takes too long to check`] };
    const byName = new Map(candidates.map((candidate) => [candidate.resource, candidate]));
    const found = [
      ...answer.faults.map(({ instance, path, message }) => ({ candidate: byName.get(instance), path, message })),
      ...answer.rules.broken.map(({ index, path, message }) => ({ candidate: candidates[index], path, message })),
    ];
    return {
      faults: found.flatMap(({ candidate, path, message }) => (candidate === undefined ? [] : [faultAt(candidate, path, message)])),
      unchecked: answer.rules.unchecked.map((rule) => `${kind}: the rule "${rule}" needs a cluster`),
    };
  } finally {
    await checker.close();
  }
}

/**
 * Reserved names that AppDefinitions would take. Without a name of the chart, only those of `spec.names` are known.
 *
 * @param live AppDefinitions as they are in the cluster: one whose kind exists keeps its names.
 */
export function reservedNameFaults(candidates: readonly Candidate[], live: readonly KubeObject[]): readonly SourceFault[] {
  const earlier = new Map(live.filter(isDefinition).map((one) => [one.metadata.name, parseAppDefinitionStatus(one).names]));
  return candidates
    .filter(({ object }) => isDefinition(object))
    .flatMap((candidate) => {
      const before = earlier.get(candidate.object.metadata.name);
      const names = declaredNames(candidate.object);
      if (names === undefined) return [];
      const taken = newlyReserved(reservedNames(names), before === undefined ? [] : [before]);
      return taken.map((one) => faultAt(candidate, `spec.${one.field}`, reservedNamesFault([one])));
    });
}

function isDefinition({ apiVersion, kind }: KubeObject): boolean {
  return kind === resourceTypes.APP_DEFINITION.kind && parseApiVersion(apiVersion).group === resourceTypes.APP_DEFINITION.group;
}

/** The names of the kind; undefined where it has none, or the spec is not valid, which its schema says. */
function declaredNames(definition: KubeObject): GeneratedNames | undefined {
  try {
    const { names, chart, crds } = specOf(APP_DEFINITION_KIND, definition);
    return crds === undefined ? generatedNames(names, chart?.name ?? UNNAMED_CHART) : undefined;
  } catch (error) {
    if (isAppError(error, 'InvalidInput')) return undefined;
    throw error;
  }
}

/** A fault on the line of a field of a document. */
export function faultAt({ document, resource }: Candidate, path: string, message: string): SourceFault {
  const text = path === '' || message.includes(path) ? message : `${path}: ${message}`;
  return { file: document.file, ...(path === '' ? document.place : document.locate(path)), resource, message: text };
}
