import { textAt } from '../../domain/core/read.ts';
import { shownMigration } from '../../operation/instance/preview-migration.ts';
import type { Route } from '../route.ts';
import { ref } from '../schemas.ts';

/** Moving instances from one version of their kind to another. The move itself is a PATCH with `version`. */
export const MIGRATION_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/environments/{environment}/instances/{app}/{name}/migration',
    operationId: 'previewInstanceMigration',
    summary: 'What moving an instance to a version of its kind asks you to decide; then PATCH it with the same `version`',
    tag: 'Instances',
    query: {
      version: { type: 'string', default: '', description: 'A served version; by default that of the app, to see what does not fit' },
    },
    replies: { 200: { description: 'The rows to decide', schema: ref('Migration') } },
    handle: async ({ operations, actor, params, query }) => {
      const address = { environment: params['environment'] ?? '', app: params['app'] ?? '', name: params['name'] ?? '' };
      const migration = await operations.previewInstanceMigration(actor, { ...address, version: textAt(query, 'version') ?? '' });
      return { status: 200, body: shownMigration(migration) };
    },
  },
];
