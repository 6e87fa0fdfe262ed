import { AppError } from '../../src/domain/core/errors.ts';
import { secret } from '../../src/domain/core/secret.ts';
import type { Operations } from '../../src/operation/operations.ts';
import { page, type SamplePage } from './sample-page.ts';
import type { AccessTokenView } from '../../src/operation/access-token/access-token-view.ts';

const DEPLOY: AccessTokenView = {
  id: '0123456789abcdef',
  name: 'deploy',
  scope: 'write',
  environments: ['team-a'],
  user: 'oidc:dev-a',
  created: '2026-11-01T12:00:00Z',
  expires: '2026-12-01T12:00:00Z',
  lastUsed: '2026-11-21T11:30:00Z',
  lastSignIn: '2026-11-21T09:00:00Z',
  state: 'Active',
};
const { environments: _environments, lastUsed: _lastUsed, ...rest } = DEPLOY;
const TOKENS: readonly AccessTokenView[] = [
  DEPLOY,
  { ...rest, id: '1123456789abcdef', name: 'a report that runs once in a while on a machine of ours', scope: 'read', state: 'Paused' },
  { ...rest, id: '2123456789abcdef', name: 'old', scope: 'read', expires: '2026-11-20T12:00:00Z', state: 'Expired' },
];

/** Personal access tokens of dev-a; one named `full` is one too many. */
export const SAMPLE_ACCESS_TOKEN_OPERATIONS = {
  listAccessTokens: async ({ user }) => ({ tokens: TOKENS.filter((token) => token.user === user), longestDays: 365, usable: 'Yes' }),
  listAllAccessTokens: async ({ groups }, { search }) => {
    if (!groups.includes('oidc:platform')) throw new AppError('Forbidden', 'personal access tokens: you may not list them');
    return TOKENS.filter(({ name }) => name.includes(search));
  },
  createAccessToken: async ({ user }, { name }) => {
    const faults = [{ field: 'name', message: 'Enter a name' }];
    if (name === '') throw new AppError('InvalidInput', 'personal access token: Enter a name', { faults });
    return { accessToken: { ...DEPLOY, name, user }, text: secret(`chp_${'x'.repeat(46)}`) };
  },
  revokeAccessToken: async () => undefined,
  revokeAnyAccessToken: async () => undefined,
} satisfies Partial<Operations>;

/** Their pages. */
export const ACCESS_TOKEN_PAGES: readonly SamplePage[] = [
  page('/account/tokens', 'dev-a', {
    title: 'Personal access tokens',
    holds: ['action="/account/tokens/0123456789abcdef/revocation"', 'Paused until the next sign-in', 'Create the token'],
  }),
  page('/account/tokens?revoked=1', 'admin', { title: 'Personal access tokens', holds: ['The token is revoked', 'You have no tokens.'] }),
  page('/admin/access-tokens', 'admin', { title: 'Access tokens', holds: ['3 tokens', 'oidc:dev-a', '/revocation"'] }),
  page('/admin/access-tokens?search=zzz', 'admin', { title: 'Access tokens', holds: ['Nothing matches'] }),
];
