import { AppError } from '../../src/domain/core/errors.ts';
import { secret } from '../../src/domain/core/secret.ts';
import type { Operations } from '../../src/operation/operations.ts';
import type { RegistrationTokenView } from '../../src/operation/access-token/registration-tokens.ts';
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

const REGISTRATION: RegistrationTokenView = {
  id: '3123456789abcdef',
  name: 'team X',
  user: 'oidc:admin',
  names: 'team-x-*',
  uses: 3,
  projects: [{ name: 'team-x/*', role: 'developer' }],
  spec: { tier: 'testing', groups: [{ name: 'oidc:team-x', role: 'maintainer' }] },
  registered: 1,
  created: '2026-11-01T12:00:00Z',
  expires: '2026-12-01T12:00:00Z',
  lastUsed: '2026-11-21T11:30:00Z',
  state: 'Active',
};
const REGISTRATIONS: readonly RegistrationTokenView[] = [
  REGISTRATION,
  { ...REGISTRATION, id: '4123456789abcdef', name: 'pipelines', user: 'oidc:other-admin', projects: [], registered: 3, state: 'UsedUp' },
];

/** Personal access tokens of dev-a; one named `full` is one too many. */
export const SAMPLE_ACCESS_TOKEN_OPERATIONS = {
  listAccessTokens: async ({ user }) => ({ tokens: TOKENS.filter((token) => token.user === user), longestDays: 365, usable: 'Yes' }),
  listAllAccessTokens: async ({ groups }, { search }) => {
    if (!groups.includes('oidc:platform')) throw new AppError('Forbidden', 'personal access tokens: you may not list them');
    return TOKENS.filter(({ id, name }) => `${id} ${name}`.includes(search));
  },
  createAccessToken: async ({ user }, { name }) => {
    const faults = [{ field: 'name', message: 'Enter a name' }];
    if (name === '') throw new AppError('InvalidInput', 'personal access token: Enter a name', { faults });
    return { accessToken: { ...DEPLOY, name, user }, text: secret(`chp_${'x'.repeat(46)}`) };
  },
  revokeAccessToken: async () => undefined,
  revokeAnyAccessToken: async () => undefined,
  listRegistrationTokens: async ({ groups }) => {
    if (!groups.includes('oidc:platform'))
      throw new AppError('Forbidden', 'personal access tokens: you may not list those of other people');
    return REGISTRATIONS;
  },
  createRegistrationToken: async (_actor, { name, names }) => {
    const faults = [{ field: 'names', message: 'Enter a pattern' }];
    if (names === '') throw new AppError('InvalidInput', 'registration token: Enter a pattern', { faults });
    return { registrationToken: { ...REGISTRATION, name, names }, text: secret(`chp_${'y'.repeat(46)}`) };
  },
  rotateRegistrationToken: async () => ({ registrationToken: REGISTRATION, text: secret(`chp_${'z'.repeat(46)}`) }),
  revokeRegistrationToken: async () => undefined,
  registerEnvironment: async (_actor, { name }) => ({ name, displayName: name, namespace: name, tier: 'testing' }),
} satisfies Partial<Operations>;

/** Their pages. */
export const ACCESS_TOKEN_PAGES: readonly SamplePage[] = [
  page('/account/tokens', 'dev-a', {
    title: 'Personal access tokens',
    holds: ['href="/account/tokens/0123456789abcdef/revocation"', 'Paused until the next sign-in', 'Create the token'],
  }),
  page('/account/tokens?revoked=1', 'admin', { title: 'Personal access tokens', holds: ['The token is revoked', 'You have no tokens.'] }),
  page('/admin/access-tokens', 'admin', { title: 'Access tokens', holds: ['3 tokens', 'oidc:dev-a', '/revocation"'] }),
  page('/account/tokens/0123456789abcdef/revocation', 'dev-a', {
    title: 'Revoke deploy',
    holds: ['Revoke deploy?', 'action="/account/tokens/0123456789abcdef/revocation"', 'Cancel'],
  }),
  page('/admin/access-tokens/2123456789abcdef/revocation', 'admin', { title: 'Revoke old', holds: ['oidc:dev-a', 'Revoke the token'] }),
  page('/admin/registration-tokens', 'admin', {
    title: 'Registration tokens',
    holds: ['team-x-*', '1 of 3', 'Used up', 'action="/admin/registration-tokens/3123456789abcdef/rotation"', 'Issue the token'],
  }),
  page('/admin/registration-tokens/3123456789abcdef/revocation', 'admin', { title: 'Revoke team X', holds: ['Revoke the token'] }),
  page('/admin/access-tokens?search=zzz', 'admin', { title: 'Access tokens', holds: ['Nothing matches'] }),
];
