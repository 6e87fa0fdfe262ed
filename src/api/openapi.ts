import type { JsonSchema, Route } from './route.ts';
import { ref, SCHEMAS } from './schemas.ts';

/** The OpenAPI 3.1 description of a route table. */
export function openApiOf(routes: readonly Route[], publicUrl: string): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const methods = (paths[route.path] ??= {});
    methods[route.method] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: 'Chandlery', version: '1', description: 'The self-service catalogue: everything that the pages do, for automation.' },
    servers: [{ url: `${publicUrl}/api/v1` }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token of the identity provider that Chandlery trusts' },
      },
      schemas: SCHEMAS,
      responses: {
        Problem: { description: 'What went wrong and what to do', content: { 'application/problem+json': { schema: ref('Problem') } } },
      },
    },
  };
}

function operationOf(route: Route): JsonSchema {
  const mediaType = route.method === 'patch' ? 'application/merge-patch+json' : 'application/json';
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.tag],
    parameters: [...pathParameters(route.path), ...queryParameters(route)],
    ...(route.body === undefined ? {} : { requestBody: { required: true, content: { [mediaType]: { schema: route.body } } } }),
    responses: { ...Object.fromEntries(Object.entries(route.replies).map(replyOf)), default: { $ref: '#/components/responses/Problem' } },
  };
}

/** The placeholders of a path in their order. */
export function placeholders(path: string): string[] {
  return [...path.matchAll(/\{([a-z]+)\}/gi)].map(([, name]) => name ?? '');
}

function pathParameters(path: string): JsonSchema[] {
  return placeholders(path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function queryParameters({ method, query = {} }: Route): JsonSchema[] {
  const parameters: JsonSchema[] = Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema }));
  return method === 'put' || method === 'patch' || method === 'delete'
    ? [...parameters, { name: 'If-Match', in: 'header', schema: { type: 'string' } }]
    : parameters;
}

function replyOf([status, reply]: [string, Route['replies'][number]]): [string, JsonSchema] {
  const content = reply.schema === undefined ? {} : { content: { 'application/json': { schema: reply.schema } } };
  return [status, { description: reply.description, ...content }];
}
