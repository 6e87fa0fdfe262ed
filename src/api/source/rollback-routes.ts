import { textAt } from '../../domain/core/read.ts';
import { proposed } from '../proposal/proposal-routes.ts';
import { type Route, SMALL_BODY } from '../route.ts';
import { ref } from '../schema-parts.ts';

const ROLLBACK = '/sources/{name}/rollback';

/** Routes of earlier revisions of CatalogSources. */
export const SOURCE_ROLLBACK_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: ROLLBACK,
    operationId: 'previewSourceRollback',
    summary: 'Show what returns a CatalogSource to an earlier revision: a patch for the files of a folder, and commands',
    tag: 'Admin',
    query: {
      revision: {
        type: 'string',
        minLength: 7,
        maxLength: 1_000,
        description: 'As in `history` of the source, or the beginning of its digest or commit',
      },
    },
    replies: { 200: { description: 'The rollback; nothing is written for it', schema: ref('SourceRollback') } },
    handle: async ({ operations, actor, params, query }) => {
      const input = { name: params['name'] ?? '', revision: textAt(query, 'revision') ?? '' };
      return { status: 200, body: await operations.previewSourceRollback(actor, input) };
    },
  },
  {
    method: 'post',
    path: ROLLBACK,
    operationId: 'proposeSourceRollback',
    summary: 'Open a merge request that returns the folder of a CatalogSource to its content at an earlier commit',
    tag: 'Admin',
    body: ref('SourceRollbackProposal'),
    largestBody: SMALL_BODY,
    replies: { 202: { description: 'The opened proposal; Location is its URL', schema: ref('Proposal') } },
    handle: async ({ operations, actor, params, body, requestOrigin }) => {
      const [revision, message] = [textAt(body, 'revision') ?? '', textAt(body, 'message') ?? ''];
      return proposed(await operations.proposeSourceRollback(actor, { name: params['name'] ?? '', revision, message, ...requestOrigin }));
    },
  },
];
