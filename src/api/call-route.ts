import type { RequestOrigin } from '../domain/audit/audit-log.ts';
import { AppError } from '../domain/core/errors.ts';
import type { Actor } from '../domain/kubernetes/actor.ts';
import { checkPreconditions, parsePreconditions } from '../domain/kubernetes/etag.ts';
import type { Operations } from '../operation/operations.ts';
import { placeholders } from './openapi.ts';
import type { Reply, Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { validatorOf } from './validator.ts';

/** A call of a route without HTTP. */
export interface RouteRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  readonly ifMatch?: string;
}

/** A row of the route table by its `operationId`, and its path with the placeholders filled in. */
export function findRoute(
  operationId: string,
  params: Readonly<Record<string, string>> = {},
): { readonly route: Route; readonly path: string } {
  const route = ROUTES.find((one) => one.operationId === operationId);
  if (route === undefined) throw new AppError('Internal', `route ${JSON.stringify(operationId)}: the table has none of this name`);
  const path = placeholders(route.path).reduce(
    (text, name) => text.replace(`{${name}}`, encodeURIComponent(params[name] ?? '')),
    route.path,
  );
  return { route, path };
}

/** Serves a route in this process, checked by the same schemas. Throws what the operations throw. */
export async function callRoute(
  caller: { readonly operations: Operations; readonly actor: Actor; readonly requestOrigin: RequestOrigin },
  operationId: string,
  { params = {}, query = {}, body, ifMatch }: RouteRequest,
): Promise<Reply> {
  const { route } = findRoute(operationId, params);
  const validator = validatorOf(route);
  const preconditions = parsePreconditions({ ifMatch, ifNoneMatch: undefined });
  if (route.etag === undefined) checkPreconditions('request', undefined, preconditions);
  return await route.handle({ ...caller, params, query: validator.query(query), body: validator.body(body), preconditions });
}
