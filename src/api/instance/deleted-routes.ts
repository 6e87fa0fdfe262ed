import type { Call, Route } from '../route.ts';
import { pageOf, ref } from '../schema-parts.ts';
import { DRY_RUN, pathOf } from './instance-routes.ts';

const DELETED = '/environments/{environment}/deleted-instances';

/** Routes of deleted instances of charts, which can be created again. */
export const DELETED_INSTANCE_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: DELETED,
    operationId: 'listDeletedInstances',
    summary: 'List the instances of charts that were deleted in the last seven days and do not exist again, newest first',
    tag: 'Instances',
    replies: {
      200: {
        description: 'The deleted instances; `missing` names the permissions without which they cannot be read',
        schema: pageOf('DeletedInstance', { missing: { type: 'array', items: ref('MissingPermission') } }),
      },
    },
    handle: async ({ operations, actor, params }) => ({
      status: 200,
      body: await operations.listDeletedInstances(actor, { environment: params['environment'] ?? '' }),
    }),
  },
  {
    method: 'post',
    path: `${DELETED}/{id}/restoration`,
    operationId: 'restoreInstance',
    summary: 'Create a deleted instance again from its record, or with `dryRun=All` run the preflight checks',
    tag: 'Instances',
    query: DRY_RUN,
    replies: {
      200: { description: 'The preflight result (`dryRun=All`)', schema: ref('Preflight') },
      201: { description: 'The created instance; Location is its URL', schema: ref('Instance') },
    },
    handle: async ({ operations, actor, params, query, requestOrigin }) => {
      const address = deletedAddress(params);
      if (query['dryRun'] === 'All') return { status: 200, body: await operations.preflightRestore(actor, address) };
      const created = await operations.restoreInstance(actor, { ...address, ...requestOrigin });
      return { status: 201, body: created, location: pathOf(created) };
    },
  },
];

function deletedAddress(params: Call['params']): { readonly environment: string; readonly id: string } {
  return { environment: params['environment'] ?? '', id: params['id'] ?? '' };
}
