import pMap from 'p-map';
import { AppError, type ErrorCode } from '../../domain/core/errors.ts';
import { statusOf, specOf } from '../../domain/kind/kind.ts';
import { type Cluster, type Discovery, ifFound } from '../../domain/kubernetes/cluster.ts';
import { parseApiVersion, type KubeObject, type ResourceRef } from '../../domain/kubernetes/resource.ts';
import { CATALOG_SOURCE, CRD, ENVIRONMENT, NAMESPACE } from '../../domain/kubernetes/resource-types.ts';
import { CATALOG_SOURCE_KIND, type InventoryItem, type SourceFault } from '../../domain/source/catalog-source.ts';
import {
  type Candidate,
  idOfItem,
  labelled,
  refOf,
  sortFaults,
  sourceLabels,
  type SourceRules,
} from '../../domain/source/check-documents.ts';
import { fieldManagerOf } from '../../reconcile/source/ownership.ts';
import { type CheckedFolder, faultAt, readCatalogFolder } from './check-folder.ts';

/** An object as it is, and as it would be. */
export interface TriedObject {
  readonly live?: KubeObject;
  readonly next?: KubeObject;
}

export interface TriedFolder extends CheckedFolder {
  readonly tried: readonly TriedObject[];
}

export interface TryInput {
  readonly folder: string;
  /** The CatalogSource whose content it is; absent: nobody's yet. */
  readonly source?: string;
  /** What a folder without a source may hold. */
  readonly spec: SourceRules['spec'];
  readonly cluster: Cluster;
  readonly discovery: Discovery;
  readonly signal: AbortSignal;
}

const AT_ONCE = 4;
/** Nothing is wrong with a document then. */
const AWAY: readonly ErrorCode[] = ['ClusterUnavailable', 'Internal', 'TooManyRequests'];
const FIELD_MANAGER = 'chandlery-cli';

/**
 * Tries a folder in a cluster by server-side dry runs, as the user of its kubeconfig: writes nothing. With a source, as this source would apply it, and with
 * what it would delete.
 *
 * @throws AppError for a folder that cannot be read, and for a cluster that is away.
 */
export async function tryFolder(input: TryInput): Promise<TriedFolder> {
  const { folder, cluster, discovery, signal } = input;
  const source = input.source === undefined ? undefined : await cluster.get({ ...CATALOG_SOURCE, name: input.source }, { signal });
  const spec = source === undefined ? input.spec : specOf(CATALOG_SOURCE_KIND, source);
  const checked = await readCatalogFolder({
    folder,
    spec,
    find: async (apiVersion, kind) => await discovery.find(apiVersion, kind, signal),
  });
  const { read: _read, isFile: _isFile, ...folderState } = checked;
  const labels = source === undefined ? {} : sourceLabels(source.metadata.name, specOf(CATALOG_SOURCE_KIND, source));
  const fieldManager = input.source === undefined ? FIELD_MANAGER : fieldManagerOf(input.source);
  const answers = await pMap(
    checked.candidates,
    async (one) => await tryOne(one, { ...input, labels, fieldManager, all: checked.candidates }),
    {
      concurrency: AT_ONCE,
      signal,
    },
  );
  const removed = source === undefined || checked.isFile ? [] : await removedObjects(source, checked.named, input);
  return {
    ...folderState,
    faults: sortFaults([...checked.faults, ...answers.flatMap(({ faults }) => faults)]),
    unchecked: answers.flatMap(({ unchecked }) => unchecked),
    tried: [...answers.flatMap(({ tried }) => tried), ...removed],
  };
}

interface OneInput extends Pick<TryInput, 'cluster' | 'signal'> {
  readonly labels: Readonly<Record<string, string>>;
  readonly fieldManager: string;
  readonly all: readonly Candidate[];
}

interface Tried {
  readonly faults: readonly SourceFault[];
  readonly unchecked: readonly string[];
  readonly tried: readonly TriedObject[];
}

async function tryOne(candidate: Candidate, { cluster, signal, labels, fieldManager, all }: OneInput): Promise<Tried> {
  const { object, type } = candidate;
  const wanted = Object.keys(labels).length === 0 ? object : labelled(candidate, labels);
  const options = { fieldManager, force: 'force', fieldValidation: 'Strict', dryRun: 'All', signal } as const;
  try {
    const [live, { object: next }] = await Promise.all([
      ifFound(cluster.get(refOf(candidate), { signal })),
      cluster.apply(type, wanted, options),
    ]);
    return { faults: [], unchecked: [], tried: [{ next, ...(live === undefined ? {} : { live }) }] };
  } catch (error) {
    if (!(error instanceof AppError) || AWAY.includes(error.code)) throw error;
    const first = error.code === 'NotFound' ? comesFirst(candidate, all) : undefined;
    if (first !== undefined)
      return { faults: [], unchecked: [`${candidate.resource}: ${first} in the same folder comes first`], tried: [{ next: object }] };
    const faults = error.faults.length === 0 ? [{ message: error.message }] : error.faults;
    return { faults: faults.map(({ field = '', message }) => faultAt(candidate, field, message)), unchecked: [], tried: [] };
  }
}

/** What a dry run cannot see, because nothing of it is written: the CRD of the kind, or the namespace. */
function comesFirst({ object, type }: Candidate, all: readonly Candidate[]): string | undefined {
  const { namespace } = object.metadata;
  const found = all.find((other) => {
    const { name } = other.object.metadata;
    if (other.type.kind === CRD.kind) return name === `${type.resource}.${type.group}`;
    return [NAMESPACE.kind, ENVIRONMENT.kind].includes(other.type.kind) && name === namespace;
  });
  return found?.resource;
}

/** What the source owns and the folder names no more. */
async function removedObjects(
  source: KubeObject,
  named: CheckedFolder['named'],
  { cluster, discovery, signal }: TryInput,
): Promise<readonly TriedObject[]> {
  if (!specOf(CATALOG_SOURCE_KIND, source).prune) return [];
  const gone = statusOf(CATALOG_SOURCE_KIND, source).inventory.filter((item) => !named.has(idOfItem(item)));
  const found = await pMap(
    gone,
    async (item) => {
      const ref = await refOfItem(item, discovery, signal);
      return ref === undefined ? undefined : await ifFound(cluster.get(ref, { signal }));
    },
    { concurrency: AT_ONCE, signal },
  );
  return found.flatMap((live) => (live === undefined ? [] : [{ live }]));
}

async function refOfItem(item: InventoryItem, discovery: Discovery, signal: AbortSignal): Promise<ResourceRef | undefined> {
  const type = await discovery.find(item.apiVersion, item.kind, signal);
  const { group, version } = parseApiVersion(item.apiVersion);
  const { namespace, name } = item;
  return type === undefined
    ? undefined
    : { group, version, resource: type.resource, name, ...(namespace === undefined ? {} : { namespace }) };
}
