import { textAt } from '../domain/core/read.ts';
import type { DeletedAddress } from '../operation/keep-deleted.ts';
import type { Call, Route } from './route.ts';

interface Keep {
  readonly path: string;
  readonly id: string;
  readonly tag: 'Admin' | 'Environments';
  readonly words: string;
  readonly address: (params: Call['params']) => DeletedAddress;
}

const nameIn = (params: Call['params']): string => textAt(params, 'name') ?? '';

/** Cancelling the deletion of what still waits for its finalizer. */
export const KEEP_ROUTES: readonly Route[] = [
  keep({
    path: '/operators/{namespace}/{name}',
    id: 'keepOperator',
    tag: 'Admin',
    words: 'an Operator',
    address: (params) => ({ kind: 'Operator', namespace: textAt(params, 'namespace') ?? '', name: nameIn(params) }),
  }),
  keep({
    path: '/app-definitions/{name}',
    id: 'keepAppDefinition',
    tag: 'Admin',
    words: 'an AppDefinition',
    address: (params) => ({ kind: 'AppDefinition', name: nameIn(params) }),
  }),
  keep({
    path: '/environments/{environment}',
    id: 'keepEnvironment',
    tag: 'Environments',
    words: 'an Environment',
    address: (params) => ({ kind: 'Environment', name: textAt(params, 'environment') ?? '' }),
  }),
  keep({
    path: '/sources/{name}',
    id: 'keepSource',
    tag: 'Admin',
    words: 'a CatalogSource',
    address: (params) => ({ kind: 'CatalogSource', name: nameIn(params) }),
  }),
];

function keep({ path, id, tag, words, address }: Keep): Route {
  return {
    method: 'post',
    path: `${path}/keep`,
    operationId: id,
    etag: 'strong',
    summary: `Cancel the deletion of ${words} (annotation \`chandlery.dev/keep\`; admins)`,
    tag,
    replies: { 202: { description: 'The request is accepted; Location is the object, which is created again with another uid' } },
    handle: async ({ operations, actor, params, preconditions, requestOrigin }) => {
      await operations.keepDeleted(actor, { ...address(params), preconditions, ...requestOrigin });
      const location = path.replaceAll(/\{(\w+)\}/g, (_match, key: string) => encodeURIComponent(textAt(params, key) ?? ''));
      return { status: 202, location: `/api/v1${location}` };
    },
  };
}
