import { parseYamlDocuments } from '../core/bounded-yaml.ts';
import { AppError, isAppError } from '../core/errors.ts';
import { flattenList } from './flatten-list.ts';
import type { Json, JsonObject, KubeObject } from './resource.ts';

/** What one chart may render. A release of more would not fit into its Secret, and every reader of it would pay. */
export const RENDERED_BOUNDS = { bytes: 16 * 1024 * 1024, objects: 10_000 } as const;

/**
 * The Kubernetes objects that a chart rendered, document by document.
 *
 * @throws AppError `InvalidInput` beyond `RENDERED_BOUNDS`, and like `parseNamed`.
 */
export function parseRendered(text: string): KubeObject[] {
  const objects = splitRendered(text).flatMap((document) => parseNamed(document));
  checkCount(objects.length);
  return objects;
}

/** The documents that a chart rendered, as they are written. Throws AppError `InvalidInput` beyond `RENDERED_BOUNDS`. */
function splitRendered(text: string): string[] {
  const { bytes } = RENDERED_BOUNDS;
  if (text.length > bytes)
    throw new AppError('InvalidInput', `manifest: the chart renders more than ${bytes / 1024 / 1024} MiB of objects`);
  const documents = splitManifest(text);
  checkCount(documents.length);
  return documents;
}

function checkCount(count: number): void {
  if (count <= RENDERED_BOUNDS.objects) return;
  const why = `the chart renders ${count.toLocaleString('en')} objects, more than the ${RENDERED_BOUNDS.objects.toLocaleString('en')} of one release; split it`;
  throw new AppError('InvalidInput', `manifest: ${why}`);
}

/**
 * The Kubernetes objects of a YAML stream, in its order. Empty documents are skipped and the items of a list take its place (`flattenList`).
 * An object that only has a `generateName` gets the empty name.
 *
 * @throws AppError `InvalidInput` when a document is not YAML, or holds what is no Kubernetes object; it names the document and the field.
 */
export function parseManifest(text: string): KubeObject[] {
  return parseYamlDocuments(text).flatMap((document, index) => (isEmpty(document) ? [] : toObjects(document, index + 1)));
}

/** The documents of a YAML stream as they are written, without the `---` between them; documents without content are left out. */
function splitManifest(text: string): string[] {
  // A document marker in the first column ends a document in every context, block scalars included (YAML 1.2, 9.1.2).
  return text
    .split(/^---(?=\s|$)/m)
    .map((part) => part.replace(/^[ \t]*\r?\n/, '').trimEnd())
    .filter((part) => part.split('\n').some((line) => line.trim() !== '' && !line.trim().startsWith('#')));
}

/**
 * The objects of one of these documents. To Helm a list is one thing: a hook, or none, from the file that it comes from. So its items have the
 * annotations of Helm that the list has, and no hook of their own.
 *
 * @throws AppError like `parseManifest`, which names the object as far as its text tells.
 */
function parseNamed(document: string): KubeObject[] {
  try {
    return parseYamlDocuments(document).flatMap((content, index) =>
      isEmpty(content) ? [] : toObjects(content, index + 1).map((object) => withHelmOf(content, object)),
    );
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw new AppError(error.code, `${titleOf(document)}: ${error.message}`, { cause: error, faults: error.faults });
  }
}

const OF_HELM = /^(?:helm\.sh\/hook(?:-.*)?|postrenderer\.helm\.sh\/.*)$/;

function withHelmOf(document: Json, object: KubeObject): KubeObject {
  if (!isObject(document) || !('items' in document)) return object;
  const ofHelm = (annotations: unknown, wanted: 'Helm' | 'Others'): (readonly [string, Json | undefined])[] =>
    isObject(annotations) ? Object.entries(annotations).filter(([name]) => OF_HELM.test(name) === (wanted === 'Helm')) : [];
  const { annotations, ...metadata } = object.metadata;
  const list = isObject(document['metadata']) ? document['metadata']['annotations'] : undefined;
  const merged = [...ofHelm(annotations, 'Others'), ...ofHelm(list, 'Helm')];
  return {
    ...object,
    metadata: merged.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(merged) as Record<string, string> },
  };
}

/** What Helm writes down about the file that a document came from: a comment, and on its way to a post-renderer an annotation. */
const SOURCE = /^(?:# Source:|\s+postrenderer\.helm\.sh\/postrender-filename:)\s*(.*)$/m;

/** `ConfigMap "a" (chart/templates/a.yaml)` */
function titleOf(document: string): string {
  const kind = plain(/^kind:(.*)$/m.exec(document)?.[1]);
  const name = plain(/^metadata:[^\n]*\n(?:[ #].*\n|\n)*? {1,8}name:(.*)$/m.exec(document)?.[1]);
  const source = plain(SOURCE.exec(document)?.[1]);
  const title = `${kind === '' ? 'an object' : kind}${name === '' ? '' : ` ${JSON.stringify(name)}`}`;
  return source === '' ? title : `${title} (${source})`;
}

function plain(text = ''): string {
  return text
    .trim()
    .replaceAll(/^['"]|['"]$/g, '')
    .slice(0, 253);
}

function isEmpty(document: Json): boolean {
  return document === null || (typeof document === 'object' && Object.keys(document).length === 0);
}

function toObjects(document: Json, position: number): KubeObject[] {
  const where = `manifest: document ${position}`;
  if (!isObject(document)) throw notAnObject(where, 'it is not a map');
  return listed(document, where).map(({ content, path }) => toObject(content, path === '' ? where : `${where}, ${path}`));
}

function listed(document: JsonObject, where: string): ReturnType<typeof flattenList> {
  try {
    return flattenList(document);
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw new AppError(error.code, `${where}, ${error.message}`, { cause: error, faults: error.faults });
  }
}

function toObject(content: JsonObject, where: string): KubeObject {
  const { apiVersion, kind, metadata } = content;
  if (typeof apiVersion !== 'string' || apiVersion === '') throw notAnObject(where, 'it has no apiVersion');
  if (typeof kind !== 'string' || kind === '') throw notAnObject(where, 'it has no kind');
  if (!isObject(metadata)) throw notAnObject(where, `the ${kind} has no metadata`);
  const name = metadata['name'] ?? (metadata['generateName'] === undefined ? undefined : '');
  if (typeof name !== 'string') throw notAnObject(where, `the ${kind} has no metadata.name`);
  if (typeof (metadata['namespace'] ?? '') !== 'string') throw notAnObject(where, `metadata.namespace of the ${kind} is not a text`);
  return { ...content, apiVersion, kind, metadata: { ...givenMembers(metadata), name } };
}

/** To Kubernetes, a member of the metadata that is null is not there, and neither is an empty namespace: templates leave such behind. */
function givenMembers(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([key, value]) => value !== null && !(key === 'namespace' && value === '')));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function notAnObject(where: string, why: string): AppError {
  return new AppError('InvalidInput', `${where} is not a Kubernetes object: ${why}`);
}
