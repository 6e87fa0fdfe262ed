import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { stringifyJson } from '../core/exact-json.ts';
import { isObject, listAt, objectAt, textAt } from '../core/read.ts';
import { OURS } from '../kubernetes/names.ts';
import { SECRET, CATALOG_SOURCE } from '../kubernetes/resource-types.ts';
import { apiVersionOf, type KubeObject } from '../kubernetes/resource.ts';
import { MAX_REVISIONS } from './source-history.ts';

/** A YAML file of a folder. */
export interface KeptFile {
  /** Relative to the folder, with `/`. */
  readonly file: string;
  /** Absent for a file that holds sensitive values: no copy of it is kept or shown. */
  readonly text?: string;
}

/** The files of a folder at a revision that was applied. */
export interface KeptRevision {
  readonly revision: string;
  readonly files: readonly KeptFile[];
}

const TYPE = 'chandlery.dev/source-revisions';
const KEY = 'revisions';
/** A Secret holds 1 MiB. */
const MAX_PACKED_BYTES = 768 * 1024;
const MAX_BYTES = 32 * 1024 * 1024;

/** The Secret with the revisions of a folder, in the namespace of Chandlery. */
export function keptRevisionsRef(source: string): typeof SECRET & { readonly namespace: string; readonly name: string } {
  return { ...SECRET, namespace: OURS.systemNamespace, name: `chandlery.source-revisions.${source}` };
}

/** The newest first. What cannot be read, or belongs to another source of the same name, counts as nothing: another client that writes Secrets there may have written it. */
export async function keptRevisionsIn(secret: KubeObject | undefined, source: KubeObject): Promise<readonly KeptRevision[]> {
  const packed = textAt(objectAt(secret, 'data'), KEY);
  const { uid } = source.metadata;
  const isOwn = listAt(secret, 'metadata', 'ownerReferences').some((owner) => uid !== undefined && textAt(owner, 'uid') === uid);
  if (packed === undefined || !isOwn || textAt(secret, 'type') !== TYPE) return [];
  try {
    const text = await promisify(gunzip)(Buffer.from(packed, 'base64'), { maxOutputLength: 2 * MAX_BYTES });
    return unpacked(JSON.parse(text.toString('utf8')));
  } catch {
    return [];
  }
}

/** Each text once, however many revisions have it. */
interface Packed {
  readonly texts: readonly string[];
  readonly revisions: readonly { readonly revision: string; readonly files: readonly (readonly [file: string, text: number])[] }[];
}

const NO_TEXT = -1;

function unpacked(stored: unknown): readonly KeptRevision[] {
  const texts = listAt(stored, 'texts');
  return listAt(stored, 'revisions').flatMap((one) => {
    const revision = textAt(one, 'revision');
    if (revision === undefined || !isObject(one)) return [];
    const files = listAt(one, 'files').flatMap((pair): KeptFile[] => {
      const [file, index] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
      if (typeof file !== 'string' || typeof index !== 'number') return [];
      const text = texts[index];
      return [{ file, ...(typeof text === 'string' ? { text } : {}) }];
    });
    return [{ revision, files }];
  });
}

function packed(revisions: readonly KeptRevision[]): Packed {
  const texts = new Map<string, number>();
  const indexOf = (text: string | undefined): number => {
    if (text === undefined) return NO_TEXT;
    const index = texts.get(text) ?? texts.size;
    texts.set(text, index);
    return index;
  };
  const indexed = revisions.map(({ revision, files }) => ({
    revision,
    files: files.map(({ file, text }) => [file, indexOf(text)] as const),
  }));
  return { texts: [...texts.keys()], revisions: indexed };
}

/**
 * The Secret with one more revision, the oldest dropped where there are too many or no room; undefined where even this one has no room. The garbage collector deletes the Secret
 * with its source.
 *
 * @param known the newest first.
 */
export async function withKeptRevision(
  known: readonly KeptRevision[],
  added: KeptRevision,
  source: KubeObject,
): Promise<KubeObject | undefined> {
  let wanted = [added, ...known.filter(({ revision }) => revision !== added.revision)].slice(0, MAX_REVISIONS);
  for (; wanted.length > 0; wanted = wanted.slice(0, Math.floor(wanted.length / 2))) {
    const text = stringifyJson(packed(wanted));
    if (text.length > MAX_BYTES) continue;
    const bytes = await promisify(gzip)(text);
    if (bytes.length <= MAX_PACKED_BYTES) return secretOf(source, bytes.toString('base64'));
  }
  return undefined;
}

function secretOf(source: KubeObject, data: string): KubeObject {
  const { namespace, name } = keptRevisionsRef(source.metadata.name);
  const owner = { apiVersion: apiVersionOf(CATALOG_SOURCE), kind: CATALOG_SOURCE.kind, name: source.metadata.name };
  return {
    apiVersion: 'v1',
    kind: SECRET.kind,
    type: TYPE,
    metadata: {
      name,
      namespace,
      labels: { 'app.kubernetes.io/managed-by': 'chandlery' },
      ownerReferences: [{ ...owner, uid: source.metadata.uid ?? '' }],
    },
    data: { [KEY]: data },
  };
}
