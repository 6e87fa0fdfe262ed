import type { Actor } from '../domain/kubernetes/actor.ts';
import type { Preconditions } from '../domain/kubernetes/etag.ts';
import type { RequestOrigin } from '../domain/audit/audit-log.ts';
import type { Operations } from '../operation/operations.ts';

/** A JSON Schema of draft 2020-12, as OpenAPI 3.1 embeds it. */
export type JsonSchema = { readonly [key: string]: unknown };

/** A request after its parameters and body have been checked against the route's schemas. */
export interface Call {
  readonly actor: Actor;
  /** For the audit log. */
  readonly requestOrigin: RequestOrigin;
  readonly operations: Operations;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** Of a route with `etag`; where there is none, they have been checked. */
  readonly preconditions: Preconditions;
}

/** What a handler answers. */
export interface Reply {
  readonly status: 200 | 201 | 202;
  readonly body?: unknown;
  readonly location?: string;
  /** Strong, quotes included; by default the `etag` of the body. */
  readonly etag?: string;
}

/** A table as a file. */
export interface CsvFile {
  /** Without its ending. */
  readonly name: string;
  /** RFC 4180; see `csvText`. */
  readonly text: string;
}

/** The query parameter of a route with `csv`. */
export const FORMAT_QUERY: Readonly<Record<string, JsonSchema>> = {
  format: { enum: ['json', 'csv'], description: '`csv`: everything that the filter leaves as one table, as with `Accept: text/csv`' },
};

/** The query parameter of a route with `text`. */
export const TEXT_QUERY: Readonly<Record<string, JsonSchema>> = {
  format: { enum: ['json', 'text'], description: '`text`: as people read it in a terminal, as with `Accept: text/plain`' },
};

/** etcd keeps at most 1.5 MiB of an object, with all that the api-server adds. */
export const MAX_RESOURCE_BYTES = 1024 * 1024;
/** For bodies that hold names and a few sentences. */
export const SMALL_BODY = 64 * 1024;

/** What a PATCH takes (RFC 7396); clients that cannot name that type send `application/json`. */
const PATCH_TYPES = ['application/merge-patch+json', 'application/json'] as const;
const JSON_TYPE = ['application/json'] as const;

/** The media types of the body of a route, the best first. */
export function mediaTypesOf({ method }: Pick<Route, 'method'>): readonly [string, ...string[]] {
  return method === 'patch' ? PATCH_TYPES : JSON_TYPE;
}

/** A row of the route table: it serves, validates and documents one call. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path below `/api/v1` with OpenAPI placeholders, e.g. `/apps/{app}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag:
    | 'Catalogue'
    | 'Environments'
    | 'Instances'
    | 'Resources'
    | 'Change requests'
    | 'Proposals'
    | 'Saved configurations'
    | 'Admin'
    | 'Account';
  readonly query?: Readonly<Record<string, JsonSchema>>;
  readonly body?: JsonSchema;
  /** Bytes of the body; by default what a resource can need, `MAX_RESOURCE_BYTES`. */
  readonly largestBody?: number;
  /** `strong`: what the path is about has a strong ETag. Reads send it; writes hold `If-Match` against it, by `preconditions`. */
  readonly etag?: 'strong';
  /** Successful answers by status. */
  readonly replies: Readonly<Record<number, { readonly description: string; readonly schema?: JsonSchema }>>;
  readonly handle: (call: Call) => Promise<Reply>;
  /** The same as a table, for `?format=csv` and `Accept: text/csv`. */
  readonly csv?: (call: Call) => Promise<CsvFile>;
  /** The same as plain text, for `?format=text` and `Accept: text/plain`. */
  readonly text?: (call: Call) => Promise<string>;
}
