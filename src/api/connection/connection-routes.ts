import { textAt } from '../../domain/core/read.ts';
import type { Call, Route } from '../route.ts';
import { ref } from '../schema-parts.ts';

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
