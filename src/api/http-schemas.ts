import type { JsonSchema } from './route.ts';
import { ref } from './schemas.ts';

const text = { type: 'string' } as const;

/** Headers of answers. */
export const HEADERS = {
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
export const PRECONDITIONS = {
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
export const RESPONSES = {
  NotModified: { description: 'You have it already', headers: headersNamed(['X-Request-Id', 'ETag']) },
  Unauthenticated: problem('No valid bearer token was sent', ['WWW-Authenticate']),
  PreconditionFailed: problem('`If-Match` or `If-None-Match` does not hold; nothing was written', []),
  TooLarge: problem('The body is too large', []),
  UnsupportedMediaType: problem('The body has another media type than those of this call', ['Accept-Patch']),
  TooManyRequests: problem('You send too many requests', ['Retry-After', 'RateLimit', 'RateLimit-Policy']),
  Problem: problem('What went wrong and what to do', ['Retry-After']),
} as const;

/** References to headers, by their names. */
export function headersNamed(names: readonly (keyof typeof HEADERS)[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function problem(description: string, headers: readonly (keyof typeof HEADERS)[]): JsonSchema {
  return {
    description,
    headers: headersNamed(['X-Request-Id', ...headers]),
    content: { 'application/problem+json': { schema: ref('Problem') } },
  };
}
