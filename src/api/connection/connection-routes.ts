import { textAt } from '../../domain/core/read.ts';
import type { Call, Route } from '../route.ts';
import { flag, list, object, ref, text } from '../schema-parts.ts';

const CONNECTION = '/environments/{environment}/instances/{app}/{name}/connection';

/** How an instance is reached. */
export const CONNECTION_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: CONNECTION,
    operationId: 'showConnection',
    summary: 'Get what an instance is reached by; secret keys without their values',
    tag: 'Instances',
    replies: { 200: { description: 'The keys', schema: ref('Connection') } },
    handle: async ({ operations, actor, params }) => ({ status: 200, body: await operations.showConnection(actor, addressOf(params)) }),
  },
  {
    method: 'post',
    path: `${CONNECTION}/revealed-keys`,
    operationId: 'revealConnectionKey',
    summary: 'Reveal one secret key of a connection, if you may get the Secret; the audit log records it',
    tag: 'Instances',
    body: ref('RevealedKeyRequest'),
    replies: { 200: { description: 'The value', schema: ref('RevealedKey') } },
    handle: async ({ operations, actor, params, body, requestOrigin }) => ({
      status: 200,
      body: await operations.revealConnectionKey(actor, { ...addressOf(params), key: textAt(body, 'key') ?? '', ...requestOrigin }),
    }),
  },
];

function addressOf(params: Call['params']): { environment: string; app: string; name: string } {
  return { environment: params['environment'] ?? '', app: params['app'] ?? '', name: params['name'] ?? '' };
}

/** What the API says of the connections of instances. */
export const CONNECTION_SCHEMAS = {
  ConnectionKey: object(
    {
      name: { ...text, description: 'Where there is one, the name of the Service Binding specification', examples: ['password'] },
      label: text,
      description: text,
      kind: { enum: ['Value', 'Secret', 'Unavailable'], description: '`Secret`: reveal it; `Unavailable`: there is no value now' },
      value: { ...text, description: 'Of a value' },
      secret: { ...object({ name: text, key: text }), description: 'The Secret in the namespace of the instance, and its key' },
      missing: { $ref: '#/components/schemas/MissingPermission' },
      message: { ...text, description: 'Why it is unavailable' },
      kubectl: { ...text, description: 'A command that prints the value, or connects a port of your machine' },
    },
    ['name', 'label', 'description', 'kind'],
  ),
  Connection: object({
    curated: { ...flag, description: 'Whether the catalogue describes the connection of this kind' },
    keys: list({ $ref: '#/components/schemas/ConnectionKey' }),
    services: {
      ...list(object({ kind: text, name: text, scope: { enum: ['Cluster'] }, address: text, portForward: text }, ['name', 'address'])),
      description: 'For a kind without a description: the ports of the Services in the resource tree',
    },
    secrets: { ...list(text), description: 'For a kind without a description: the names of the Secrets in the resource tree' },
  }),
  RevealedKeyRequest: { ...object({ key: { ...text, maxLength: 63 } }), additionalProperties: false },
  RevealedKey: object({
    key: text,
    value: text,
    encoding: { enum: ['utf-8', 'base64'], description: '`base64`: the bytes are no UTF-8 text' },
  }),
} as const;
