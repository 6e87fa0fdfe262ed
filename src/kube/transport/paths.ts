import { AppError } from '../../domain/core/errors.ts';
import type { ResourceType } from '../../domain/kubernetes/resource.ts';

/** What a URL path of the api-server names. */
export interface Place extends ResourceType {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * The path of a resource, each segment checked, so that a name can never lead elsewhere.
 *
 * @throws AppError `InvalidInput` when a segment is empty or could not be a name of the Kubernetes API.
 */
export function resourcePath(place: Place, query: Query = {}): string {
  const { group, version, resource, namespace, name, subresource } = place;
  const prefix = group === '' ? ['api', segment(version)] : ['apis', segment(group), segment(version)];
  const scope = namespace === undefined ? [] : ['namespaces', segment(namespace)];
  const rest = [resource, name, subresource].filter((part) => part !== undefined).map(segment);
  return withQuery(`/${[...prefix, ...scope, ...rest].join('/')}`, query);
}

/** A path with the query parameters that have a value. */
function withQuery(path: string, query: Query): string {
  const pairs = Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)] as const]));
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(Object.fromEntries(pairs)).toString()}`;
}

function segment(text: string): string {
  // The api-server itself rejects these in names (path segment name validation).
  if (text === '' || text === '.' || text === '..' || /[/%\p{Cc}]/u.test(text)) {
    throw new AppError('InvalidInput', `address: ${JSON.stringify(text)} cannot be part of a resource's address`);
  }
  return encodeURIComponent(text);
}
