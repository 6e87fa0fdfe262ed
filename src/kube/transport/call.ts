import { AppError, type MissingPermission } from '../../domain/core/errors.ts';
import type { ResourceType } from '../../domain/kubernetes/resource.ts';
import { type Actor, parseActor } from '../../domain/kubernetes/actor.ts';
import { isDnsLabel, isDnsSubdomain } from '../../domain/kubernetes/names.ts';

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

/** As whom a call is made. There is no default: each call names its identity. */
export type Identity =
  | { readonly kind: 'controller' }
  | { readonly kind: 'actor'; readonly actor: Actor }
  /** The controller, with the permissions of a ServiceAccount that an admin named. */
  | { readonly kind: 'serviceAccount'; readonly account: ServiceAccountRef }
  /** The controller, or a ServiceAccount that it impersonates, who only tries something for the actor: see `guardDryRun`. */
  | { readonly kind: 'dryRun'; readonly actor: Actor; readonly account?: ServiceAccountRef };

export interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
}

type ImpersonationHeaders = Readonly<Record<string, string>>;

/**
 * The impersonation headers of an identity; none for the controller, and of a dry run those of whom it is made as, not of whom it is made for. Checks the actor again, however it was made.
 *
 * The groups of a ServiceAccount are added by the api-server.
 *
 * @throws AppError `ActorMissing` when user or groups are empty, reserved for the cluster, or cannot be sent unchanged in a header; when the name of a
 *   ServiceAccount is none.
 */
export function impersonationHeaders(identity: Identity): ImpersonationHeaders {
  if (identity.kind === 'controller') return {};
  if (identity.kind === 'serviceAccount') return { 'impersonate-user': userOf(identity.account) };
  const { user, groups } = parseActor(identity.actor.user, identity.actor.groups);
  const padded = [user, ...groups].find((name) => name !== name.trim());
  if (padded !== undefined) throw new AppError('ActorMissing', `actor: ${JSON.stringify(padded)} begins or ends with a space`);
  if (identity.kind === 'dryRun') return identity.account === undefined ? {} : { 'impersonate-user': userOf(identity.account) };
  return { 'impersonate-user': user, ...Object.fromEntries(groups.map((group, index) => [groupHeader(index), group])) };
}

/**
 * The name of the header of one group: `impersonate-group` in letters whose case differs from group to group, which means the same to every server. Over
 * HTTP/2, undici would join the values of one name with commas, and the api-server would take them for one group.
 */
function groupHeader(index: number): string {
  return Array.from('impersonate-group', (letter, bit) => ((index >> bit) % 2 === 1 ? letter.toUpperCase() : letter)).join('');
}

function userOf({ namespace, name }: ServiceAccountRef): string {
  if (isDnsLabel(namespace) && isDnsSubdomain(name)) return `system:serviceaccount:${namespace}:${name}`;
  throw new AppError('ActorMissing', `actor: ${JSON.stringify(`${namespace}/${name}`)} cannot be the name of a ServiceAccount`);
}
