import { TOKEN_STATES } from '../../domain/access-token/access-token.ts';
import { textAt, textsAt } from '../../domain/core/read.ts';
import { TOKEN_SCOPES } from '../../domain/kubernetes/access-limits.ts';
import type { AccessTokenView } from '../../operation/access-token/access-token-view.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import { type Call, type Reply, type Route, SMALL_BODY } from '../route.ts';
import { list, object, pageOf, ref, text, time } from '../schema-parts.ts';

/** Personal access tokens: one's own, and for admins those of others. */
export const ACCESS_TOKEN_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/me/tokens',
    operationId: 'listAccessTokens',
    summary: 'List your personal access tokens',
    tag: 'Account',
    query: PAGE_QUERY,
    replies: { 200: { description: 'A page of tokens, without their text', schema: pageOf('AccessToken') } },
    handle: async ({ operations, actor, query }) => {
      const { tokens } = await operations.listAccessTokens(actor);
      return { status: 200, body: pageOfItems(tokens, ({ id }) => id, query) };
    },
  },
  {
    method: 'post',
    path: '/me/tokens',
    operationId: 'createAccessToken',
    summary: 'Create a personal access token; its text is in this answer alone',
    tag: 'Account',
    body: ref('AccessTokenDraft'),
    largestBody: SMALL_BODY,
    replies: { 201: { description: 'The token with its text', schema: ref('NewAccessToken') } },
    handle: async (call) => await create(call),
  },
  {
    method: 'post',
    path: '/me/tokens/{id}/revocation',
    operationId: 'revokeAccessToken',
    summary: 'Revoke one of your personal access tokens',
    tag: 'Account',
    replies: { 200: { description: 'The token is revoked' } },
    handle: async ({ operations, actor, params, requestOrigin }) => {
      await operations.revokeAccessToken(actor, { id: params['id'] ?? '', ...requestOrigin });
      return { status: 200 };
    },
  },
  {
    method: 'get',
    path: '/access-tokens',
    operationId: 'listAllAccessTokens',
    summary: 'List the personal access tokens of everybody (admins)',
    tag: 'Admin',
    query: { search: { type: 'string', default: '', description: 'A part of the user name, the name or the id' }, ...PAGE_QUERY },
    replies: { 200: { description: 'A page of tokens, by user', schema: pageOf('AccessToken') } },
    handle: async ({ operations, actor, query }) => {
      const tokens = await operations.listAllAccessTokens(actor, { search: textAt(query, 'search') ?? '' });
      return { status: 200, body: pageOfItems(tokens, byUser, query) };
    },
  },
  {
    method: 'post',
    path: '/access-tokens/{id}/revocation',
    operationId: 'revokeAnyAccessToken',
    summary: 'Revoke the personal access token of a user (admins)',
    tag: 'Admin',
    replies: { 200: { description: 'The token is revoked' } },
    handle: async ({ operations, actor, params, requestOrigin }) => {
      await operations.revokeAnyAccessToken(actor, { id: params['id'] ?? '', ...requestOrigin });
      return { status: 200 };
    },
  },
];

function byUser({ user, id }: AccessTokenView): string {
  return `${user} ${id}`;
}

async function create({ operations, actor, body, requestOrigin }: Call): Promise<Reply> {
  const expires = textAt(body, 'expires');
  const limited = Object.hasOwn(body as object, 'environments');
  const { accessToken, text: token } = await operations.createAccessToken(actor, {
    name: textAt(body, 'name') ?? '',
    scope: textAt(body, 'scope') === 'write' ? 'write' : 'read',
    ...(limited ? { environments: textsAt(body, 'environments') } : {}),
    ...(expires === undefined ? {} : { expires }),
    ...requestOrigin,
  });
  return { status: 201, body: { accessToken, token: token.reveal() } };
}

const scope = { enum: TOKEN_SCOPES, description: '`read`: GET requests alone; `write`: everything that you may do' } as const;

/** Schemas of personal access tokens. */
export const ACCESS_TOKEN_SCHEMAS = {
  AccessToken: object(
    {
      id: text,
      name: text,
      scope,
      environments: { ...list(text), description: 'The environments that the token is limited to; absent: all that the user sees' },
      user: text,
      created: time,
      expires: time,
      lastUsed: { ...time, description: 'To the minute; absent: never' },
      lastSignIn: { ...time, description: 'When the user signed in last, or a session of theirs was renewed' },
      state: { enum: TOKEN_STATES, description: '`Paused`: until its user signs in again' },
    },
    ['id', 'name', 'scope', 'user', 'created', 'expires', 'lastSignIn', 'state'],
  ),
  AccessTokenDraft: {
    ...object(
      {
        name: { ...text, minLength: 1, maxLength: 64 },
        scope: { ...scope, default: 'read' },
        environments: { ...list({ ...text, maxLength: 63 }), maxItems: 20, description: 'Default: all that you see' },
        expires: { ...time, description: 'Default: in 30 days' },
      },
      ['name'],
    ),
    additionalProperties: false,
  },
  NewAccessToken: object(
    {
      accessToken: ref('AccessToken'),
      token: { ...text, description: 'The text to send as `Authorization: Bearer`; it is not shown again' },
    },
    ['accessToken', 'token'],
  ),
} as const;
