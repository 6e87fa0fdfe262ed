import { textAt } from '../../domain/core/read.ts';
import { RESOURCE_HEALTHS, type ResourceFilter } from '../../domain/environment/environment-resources.ts';
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
        }),
      },
    },
    handle: async (call) => await list(call),
  },
];

async function list({ operations, actor, params, query }: Call): Promise<Reply> {
  const found = await operations.listEnvironmentResources(actor, { environment: params['environment'] ?? '', ...filterIn(query) });
  const { resources, counts, missing, unavailable } = found;
  const page = pageOfItems(resources, ({ kind, resource, name }) => `${kind} ${resource} ${name}`, query);
  return { status: 200, body: { ...page, total: resources.length, counts, missing, unavailable } };
}

function filterIn(query: Call['query']): ResourceFilter {
  const [resource, managedBy, search] = ['resource', 'managedBy', 'search'].map((key) => textAt(query, key));
  const health = RESOURCE_HEALTHS.find((one) => one === query['health']);
  return {
    ...(resource === undefined ? {} : { resource }),
    ...(health === undefined ? {} : { health }),
    ...(managedBy === undefined ? {} : { managedBy }),
    ...(search === undefined ? {} : { search }),
  };
}
