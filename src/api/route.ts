import type { Actor } from '../domain/kubernetes/actor.ts';
import type { Asking } from '../domain/audit/audit-log.ts';
import type { Ports } from '../operation/ports.ts';

/** A JSON Schema of draft 2020-12, as OpenAPI 3.1 embeds it. */
export type JsonSchema = { readonly [key: string]: unknown };

/** A request after its parameters and body have been checked against the route's schemas. */
export interface Call {
  readonly actor: Actor;
  /** For the journal. */
  readonly asking: Asking;
  readonly ports: Ports;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** The entity tag of `If-Match` without its quotes; empty when the caller sent none. */
  readonly ifMatch: string;
}

/** What a handler answers. */
export interface Reply {
  readonly status: 200 | 201 | 202;
  readonly body?: unknown;
  readonly location?: string;
  readonly etag?: string;
}

/** etcd keeps at most 1.5 MiB of an object, with all that the api-server adds. */
export const LARGEST_RESOURCE = 1024 * 1024;
/** For bodies that hold names and a few sentences. */
export const SMALL_BODY = 64 * 1024;

/** A row of the route table: it serves, validates and documents one call. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path below `/api/v1` with OpenAPI placeholders, e.g. `/apps/{app}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: 'Catalogue' | 'Environments' | 'Instances' | 'Plans' | 'Recipes' | 'Admin' | 'Account';
  readonly query?: Readonly<Record<string, JsonSchema>>;
  readonly body?: JsonSchema;
  /** Bytes of the body; by default what a resource can need, `LARGEST_RESOURCE`. */
  readonly largestBody?: number;
  /** Successful answers by status. */
  readonly replies: Readonly<Record<number, { readonly description: string; readonly schema?: JsonSchema }>>;
  readonly handle: (call: Call) => Promise<Reply>;
}
