import { nameSchemas, type NamedSchemas } from './named-schemas.ts';
import { MAX_RESOURCE_BYTES, mediaTypesOf, type JsonSchema, type Route } from './route.ts';
import { ref } from './schema-parts.ts';
import { SCHEMAS } from './schemas.ts';

/** What placeholders take that are no names of objects. */
const PATH_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  namespace: { type: 'string', maxLength: 63 },
  id: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  kind: {
    type: 'string',
    maxLength: 253,
    description:
      'A kind, its plural, singular or a short name, in any case; or the id of an app. 409 `AmbiguousKind` where several apps have it',
  },
  resource: { type: 'string', description: 'Plural and group', examples: ['secrets', 'storageclasses.storage.k8s.io'] },
};

const text = { type: 'string' } as const;

/** Headers of answers. */
const HEADERS = {
  'X-Request-Id': {
    description: 'The request in the logs of Chandlery and the audit log of the api-server; an admin finds it by this id',
    schema: text,
  },
  ETag: {
    description: 'The version of the resource (RFC 9110, 8.8.3). A weak one serves `If-None-Match` alone, a strong one `If-Match` too',
    schema: { ...text, examples: ['"6a204bd8-39b7-4ff1-a2c4-0d5b0f6c1c53.4711"'] },
  },
  Location: { description: 'The path of the resource', schema: { ...text, format: 'uri-reference' } },
  'Retry-After': { description: 'Seconds until the request is accepted again', schema: { type: 'integer', minimum: 1 } },
  RateLimit: {
    description: 'How many requests are left to you, and when there are more (draft-ietf-httpapi-ratelimit-headers-08)',
    schema: text,
  },
  'RateLimit-Policy': { description: 'How many requests a person has in which time', schema: text },
  'Accept-Patch': { description: 'The media types that PATCH takes (RFC 5789)', schema: text },
  'WWW-Authenticate': { description: 'RFC 6750', schema: text },
} as const satisfies Record<string, JsonSchema>;

/** What requests may ask of the resource as it is now. */
const PRECONDITIONS = {
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'Strong ETags, or `*`: the request is carried out only when one of them is the present one (RFC 9110, 13.1.1), else 412',
    schema: text,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETags of what you have: 304 when one of them is the present one (RFC 9110, 13.1.2)',
    schema: text,
  },
} as const satisfies Record<string, JsonSchema>;

/** Answers that many calls have in common. */
const RESPONSES = {
  NotModified: { description: 'You have it already', headers: headersNamed(['X-Request-Id', 'ETag']) },
  Unauthenticated: problem('No valid bearer token was sent', ['WWW-Authenticate']),
  PreconditionFailed: problem('`If-Match` or `If-None-Match` does not hold; nothing was written', []),
  TooLarge: problem('The body is too large', []),
  UnsupportedMediaType: problem('The body has another media type than those of this call', ['Accept-Patch']),
  TooManyRequests: problem('You send too many requests', ['Retry-After', 'RateLimit', 'RateLimit-Policy']),
  Problem: problem('What went wrong and what to do', ['Retry-After']),
} as const;

/** The OpenAPI 3.1 description of a route table. */
export function openApiOf(routes: readonly Route[], publicUrl: string): JsonSchema {
  const schemas = nameSchemas(SCHEMAS);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const methods = (paths[route.path] ??= {});
    methods[route.method] = operationOf(named(route, schemas));
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Chandlery',
      version: '1',
      description: 'The self-service catalogue: everything that the pages do, for automation.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${publicUrl}/api/v1` }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token of the identity provider that Chandlery trusts' },
      },
      parameters: PRECONDITIONS,
      headers: HEADERS,
      responses: RESPONSES,
      schemas: schemas.components,
    },
  };
}

/** The same route, its objects as components: `listApps` answers `ListAppsResult`. */
function named(route: Route, { name }: NamedSchemas): Route {
  const title = route.operationId.slice(0, 1).toUpperCase() + route.operationId.slice(1);
  const replies = Object.entries(route.replies).map(([status, reply]): [string, Route['replies'][number]] => [
    status,
    reply.schema === undefined ? reply : { ...reply, schema: name(reply.schema, `${title}Result`) },
  ]);
  return {
    ...route,
    replies: Object.fromEntries(replies),
    ...(route.body === undefined ? {} : { body: name(route.body, `${title}Request`) }),
  };
}

function operationOf(route: Route): JsonSchema {
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.tag],
    parameters: [...pathParameters(route.path), ...queryParameters(route), ...preconditionParameters(route)],
    ...(route.body === undefined ? {} : { requestBody: requestBodyOf(route, route.body) }),
    responses: { ...responsesOf(route), default: { $ref: '#/components/responses/Problem' } },
  };
}

/** A PATCH is documented with its own media type alone, so that generated clients have one; `application/json` is taken, too. */
function requestBodyOf(route: Route, schema: JsonSchema): JsonSchema {
  const [best] = mediaTypesOf(route);
  const bytes = route.largestBody ?? MAX_RESOURCE_BYTES;
  return { required: true, description: `At most ${bytes / 1024} KiB and 10,000 values`, content: contentOf([best], schema) };
}

/** The placeholders of a path in their order. */
export function placeholders(path: string): string[] {
  return [...path.matchAll(/\{([a-z]+)\}/gi)].map(([, name]) => name ?? '');
}

function pathParameters(path: string): JsonSchema[] {
  return placeholders(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: PATH_SCHEMAS[name] ?? { type: 'string', maxLength: 253 },
  }));
}

function queryParameters({ query = {} }: Route): JsonSchema[] {
  return Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema }));
}

/** Every GET has an ETag, be it a weak one; only what has a strong one can be asked for by `If-Match`. */
function preconditionParameters({ method, etag }: Route): JsonSchema[] {
  return [
    ...(etag === undefined ? [] : [{ $ref: '#/components/parameters/IfMatch' }]),
    ...(method === 'get' ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ];
}

function contentOf(types: readonly string[], schema: JsonSchema): JsonSchema {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function responsesOf(route: Route): JsonSchema {
  const good = Object.entries(route.replies).map(([status, reply]): [string, JsonSchema] => [
    status,
    replyOf(route, Number(status), reply),
  ]);
  return {
    ...Object.fromEntries(good),
    ...(route.method === 'get' ? { 304: response('NotModified') } : {}),
    401: response('Unauthenticated'),
    ...(route.etag === undefined ? {} : { 412: response('PreconditionFailed') }),
    ...(route.body === undefined ? {} : { 413: response('TooLarge'), 415: response('UnsupportedMediaType') }),
    429: response('TooManyRequests'),
    default: response('Problem'),
  };
}

function replyOf({ method, etag, csv, text: plain }: Route, status: number, { description, schema }: Route['replies'][number]): JsonSchema {
  const names = [
    'X-Request-Id' as const,
    'RateLimit' as const,
    'RateLimit-Policy' as const,
    ...(method === 'get' || (etag !== undefined && schema !== undefined) ? (['ETag'] as const) : []),
    ...(status === 200 ? [] : (['Location'] as const)),
  ];
  return {
    description,
    headers: headersNamed(names),
    ...(schema === undefined
      ? {}
      : {
          content: {
            ...contentOf(['application/json'], schema),
            ...(csv === undefined ? {} : contentOf(['text/csv'], text)),
            ...(plain === undefined ? {} : contentOf(['text/plain'], text)),
          },
        }),
  };
}

function response(name: keyof typeof RESPONSES): JsonSchema {
  return { $ref: `#/components/responses/${name}` };
}

/** References to headers, by their names. */
function headersNamed(names: readonly (keyof typeof HEADERS)[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function problem(description: string, headers: readonly (keyof typeof HEADERS)[]): JsonSchema {
  return {
    description,
    headers: headersNamed(['X-Request-Id', ...headers]),
    content: { 'application/problem+json': { schema: ref('Problem') } },
  };
}
