import type { MissingPermission } from '../../domain/core/errors.ts';
import type { Identity } from './identity.ts';
import type { Place } from './paths.ts';

/** One call to the api-server. */
export interface Call {
  readonly identity: Identity;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  /** The ETag of what is known already; if it still holds, the answer is `unchanged`. */
  readonly ifNoneMatch?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** What the answer is; default `json`. */
  readonly parse?: 'json' | 'text';
  /** What is done to what, for messages: `get caches.samples.chandlery.dev "x" in namespace "y"`. */
  readonly what: string;
  /** The permission that the call needs, named when it is missing. */
  readonly permission?: MissingPermission;
  readonly signal?: AbortSignal | undefined;
}

/** The call for a verb on a place: its permission and its words follow from the two. */
export function callFor(identity: Identity, verb: string, place: Place): Pick<Call, 'identity' | 'what' | 'permission'> {
  const { group, resource, subresource, namespace, name } = place;
  const plural = subresource === undefined ? resource : `${resource}/${subresource}`;
  const permission: MissingPermission = {
    verb,
    group,
    resource: plural,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
  const type = group === '' ? plural : `${plural}.${group}`;
  const words = [
    verb,
    type,
    ...(name === undefined ? [] : [`"${name}"`]),
    ...(namespace === undefined ? [] : [`in namespace "${namespace}"`]),
  ];
  return { identity, permission, what: words.join(' ') };
}
