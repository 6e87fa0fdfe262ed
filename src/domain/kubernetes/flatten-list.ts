import { AppError } from '../core/errors.ts';
import { isObject } from '../core/read.ts';
import type { JsonObject } from './resource.ts';

/** An object of a document. */
export interface DocumentObject {
  readonly content: JsonObject;
  /** Where it stands in the document, such as `items[0].items[2]`; empty for the document itself. */
  readonly path: string;
}

/**
 * The objects of a document as Kubernetes has them: whatever its kind, an object with a field `items` is a list (`UnstructuredJSONScheme`), and so are
 * objects within it (`FlattenListVisitor`). An item of a list of one kind, such as a `ConfigMapList`, may leave out its own kind.
 *
 * @throws AppError `InvalidInput` that names the field of `items` which is no list, or of an item which is no object.
 */
export function flattenList(content: JsonObject): readonly DocumentObject[] {
  const { items, ...list } = content;
  // A template that renders no item leaves `items:` behind; to Kubernetes such a document has no objects.
  if ('items' in content && items === null) return [];
  return flatten({ content, path: '' }, list);
}

function flatten(object: DocumentObject, list: JsonObject): readonly DocumentObject[] {
  const { content, path } = object;
  if (!('items' in content)) return [object];
  const { items } = content;
  const field = path === '' ? 'items' : `${path}.items`;
  if (!Array.isArray(items)) throw malformed(field, 'it is not a list');
  return items.flatMap((item: unknown, index) => {
    const itemPath = `${field}[${index}]`;
    if (!isObject(item)) throw malformed(itemPath, 'it is not an object');
    return flatten({ content: path === '' ? withKind(item as JsonObject, list) : (item as JsonObject), path: itemPath }, list);
  });
}

/** The api-server does not give items of typed lists their kind. */
function withKind(item: JsonObject, { apiVersion, kind }: JsonObject): JsonObject {
  const isTyped = (item['apiVersion'] ?? '') === '' && (item['kind'] ?? '') === '';
  return isTyped && typeof kind === 'string' ? { ...item, apiVersion, kind: kind.replace(/List$/, '') } : item;
}

function malformed(field: string, why: string): AppError {
  const message = `${why}; an object with items is a list of Kubernetes objects`;
  return new AppError('InvalidInput', `${field}: ${message}`, { faults: [{ field, message }] });
}
