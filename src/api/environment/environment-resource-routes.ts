import { textAt } from '../../domain/core/read.ts';
import { RESOURCE_HEALTHS, type ResourceFilter, TEXT_FILTERS } from '../../domain/environment/environment-resources.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import type { Call, Reply, Route } from '../route.ts';
import { pageOf, ref } from '../schema-parts.ts';

/** How an environment is, and everything in its namespace. */
export const ENVIRONMENT_RESOURCE_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/environments/{environment}/status',
    operationId: 'showEnvironmentStatus',
    summary:
      'The status of an environment: its health and causes, quota, limits, instances, warnings and catalogue faults, as far as you may read them',
    tag: 'Environments',
    replies: { 200: { description: 'The status', schema: ref('EnvironmentStatus') } },
    handle: async ({ operations, actor, params }) => ({
      status: 200,
      body: await operations.showEnvironmentStatus(actor, params['environment'] ?? ''),
    }),
  },
  {
    method: 'get',
    path: '/environments/{environment}/resources',
    operationId: 'listEnvironmentResources',
    summary: 'Everything in the namespace of an environment, whoever made it, with health and owner, as far as you may list it',
    tag: 'Environments',
    query: {
      resource: { type: 'string', description: 'Only this resource: plural and group, such as `deployments.apps`' },
      health: { enum: RESOURCE_HEALTHS, description: 'Only this health; `None`: the kind has no health' },
      managedBy: { type: 'string', description: 'Only what this tool or field manager keeps: `Helm`, `Flux`, `kubectl-client-side-apply`' },
      release: { type: 'string', description: 'Only this Helm release: `name`, or `namespace/name`' },
      inventory: {
        type: 'string',
        description:
          'Only the inventory, ApplySet, Kustomization, Argo CD Application or CatalogSource of this id, such as `flux-system/apps`',
      },
      labelSelector: { type: 'string', description: 'Only resources with these labels, as kubectl takes it: `app=shop,tier!=db`' },
      search: { type: 'string', description: 'Must occur in the name, the kind, or the name of the owner or manager' },
      ...PAGE_QUERY,
    },
    replies: {
      200: {
        description: 'A page of resources, by kind and name',
        schema: pageOf('EnvironmentResource', {
          total: { type: 'integer', description: 'Resources that the filter leaves' },
          counts: { type: 'array', items: ref('ResourceCount'), description: 'Of all resources, whatever the filter' },
          missing: { type: 'array', items: ref('MissingPermission'), description: 'What you may not list; no count includes it' },
          unavailable: { type: 'array', items: ref('UnavailableKind') },
          empty: { ...ref('Emptiness'), description: 'Why the filter leaves nothing; absent when it leaves something' },
        }),
      },
    },
    handle: async (call) => await list(call),
  },
];

async function list({ operations, actor, params, query }: Call): Promise<Reply> {
  const found = await operations.listEnvironmentResources(actor, { environment: params['environment'] ?? '', ...filterIn(query) });
  const { resources, counts, missing, unavailable, empty } = found;
  const shown = resources.map(({ labels: _labels, ...one }) => one);
  const page = pageOfItems(shown, ({ kind, resource, name, namespace = '' }) => `${kind} ${resource} ${name} ${namespace}`, query);
  return {
    status: 200,
    body: { ...page, total: resources.length, counts, missing, unavailable, ...(empty === undefined ? {} : { empty }) },
  };
}

function filterIn(query: Call['query']): ResourceFilter {
  const health = RESOURCE_HEALTHS.find((one) => one === query['health']);
  return {
    ...(health === undefined ? {} : { health }),
    ...Object.fromEntries(TEXT_FILTERS.flatMap((name) => (textAt(query, name) === undefined ? [] : [[name, textAt(query, name)]]))),
  };
}
