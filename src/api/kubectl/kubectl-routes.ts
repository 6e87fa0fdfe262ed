import type { Route } from '../route.ts';
import { anything, list, object, ref, text } from '../schema-parts.ts';

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
  {
    method: 'get',
    path: '/ci/context',
    operationId: 'showCiContext',
    summary: 'Show where a CI job works, by its ID token: its project, its environments with their namespaces, and the api-server',
    tag: 'Account',
    replies: { 200: { description: 'The context of the job', schema: ref('CiContext') } },
    handle: async ({ operations, actor }) => ({ status: 200, body: await operations.showCiContext(actor) }),
  },
];

/** Schemas of kubectl and CI jobs. */
export const KUBECTL_SCHEMAS = {
  CiContext: object({
    user: { ...text, description: 'As the api-server names the job' },
    groups: list(text),
    project: text,
    server: { ...text, description: 'The URL of Chandlery, which is also the audience of the tokens of jobs' },
    cluster: object({ server: text, certificateAuthority: { ...text, description: 'PEM; absent: a usual authority' } }, ['server']),
    environments: list(object({ name: text, displayName: text, namespace: text, tier: text })),
  }),
};
