import type { Route } from '../route.ts';
import { anything } from '../schema-parts.ts';

/** What kubectl needs to act as the caller. */
export const KUBECTL_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/kubeconfig',
    operationId: 'showKubeconfig',
    summary: 'Show a kubeconfig without secrets, by which kubectl signs you in and acts as you; kubectl reads the JSON as it is',
    tag: 'Account',
    query: { environment: { type: 'string', maxLength: 63, description: 'Its namespace becomes the default one' } },
    replies: { 200: { description: 'A kubeconfig with one context', schema: anything } },
    handle: async ({ operations, actor, query: { environment } }) => ({
      status: 200,
      body: await operations.showKubeconfig(actor, typeof environment === 'string' ? { environment } : {}),
    }),
  },
];
