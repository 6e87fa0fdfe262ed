import { allowedProjectsIn, registrationIn, REGISTRATION_PATH } from '../../domain/access-token/registration.ts';
import { listAt, numberAt, objectAt, textAt } from '../../domain/core/read.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { type IssuedRegistrationToken, REGISTRATION_TOKEN_STATES } from '../../operation/access-token/registration-tokens.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import { type Call, type Reply, type Route, SMALL_BODY } from '../route.ts';
import { anything, integer, list, object, pageOf, ref, text, time } from '../schema-parts.ts';

/** Registration tokens for new Environments, and what they are for. */
export const REGISTRATION_TOKEN_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/registration-tokens',
    operationId: 'listRegistrationTokens',
    summary: 'List the registration tokens (admins)',
    tag: 'Admin',
    query: PAGE_QUERY,
    replies: { 200: { description: 'A page of tokens, without their text', schema: pageOf('RegistrationToken') } },
    handle: async ({ operations, actor, query }) => {
      const tokens = await operations.listRegistrationTokens(actor);
      return { status: 200, body: pageOfItems(tokens, ({ user, id }) => `${user} ${id}`, query) };
    },
  },
  {
    method: 'post',
    path: '/registration-tokens',
    operationId: 'createRegistrationToken',
    summary: 'Issue a registration token; its text is in this answer alone (admins)',
    tag: 'Admin',
    body: ref('RegistrationTokenDraft'),
    largestBody: SMALL_BODY,
    replies: { 201: { description: 'The token with its text', schema: ref('IssuedRegistrationToken') } },
    handle: async (call) => ({ status: 201, body: issued(await create(call)) }),
  },
  {
    method: 'post',
    path: '/registration-tokens/{id}/rotation',
    operationId: 'rotateRegistrationToken',
    summary: 'Replace the text of one of your registration tokens; the earlier one is rejected from then on',
    tag: 'Admin',
    replies: { 200: { description: 'The token with its new text', schema: ref('IssuedRegistrationToken') } },
    handle: async ({ operations, actor, params, requestOrigin }) => {
      const rotated = await operations.rotateRegistrationToken(actor, { id: params['id'] ?? '', ...requestOrigin });
      return { status: 200, body: issued(rotated) };
    },
  },
  {
    method: 'post',
    path: '/registration-tokens/{id}/revocation',
    operationId: 'revokeRegistrationToken',
    summary: 'Revoke a registration token (admins)',
    tag: 'Admin',
    replies: { 200: { description: 'The token is revoked' } },
    handle: async ({ operations, actor, params, requestOrigin }) => {
      await operations.revokeRegistrationToken(actor, { id: params['id'] ?? '', ...requestOrigin });
      return { status: 200 };
    },
  },
  {
    method: 'post',
    path: REGISTRATION_PATH.replace('/api/v1', ''),
    operationId: 'registerEnvironment',
    summary: 'Register an Environment with a registration token',
    tag: 'Environments',
    body: ref('EnvironmentRegistration'),
    largestBody: SMALL_BODY,
    replies: { 201: { description: 'The Environment; Location is its URL', schema: ref('RegisteredEnvironment') } },
    handle: async (call) => await register(call),
  },
];

async function create({ operations, actor, body, requestOrigin }: Call): Promise<IssuedRegistrationToken> {
  const expires = textAt(body, 'expires');
  return await operations.createRegistrationToken(actor, {
    name: textAt(body, 'name') ?? '',
    names: textAt(body, 'names') ?? '',
    uses: numberAt(body, 'uses') ?? 1,
    projects: allowedProjectsIn(listAt(body, 'projects')),
    spec: objectAt(body, 'spec') as JsonObject,
    ...(expires === undefined ? {} : { expires }),
    ...requestOrigin,
  });
}

function issued({ registrationToken, text: token }: IssuedRegistrationToken): object {
  return { registrationToken, token: token.reveal() };
}

async function register({ operations, actor, body, requestOrigin: { via, requestId } }: Call): Promise<Reply> {
  const registered = await operations.registerEnvironment(actor, { ...registrationIn(objectAt(body)), via, requestId });
  return { status: 201, body: registered, location: `/api/v1/environments/${encodeURIComponent(registered.name)}` };
}

const GRANT = {
  names: {
    ...text,
    minLength: 1,
    maxLength: 63,
    description: 'The names that can be registered; one `*` stands for any letters, digits and dashes',
  },
  uses: { ...integer, minimum: 1, maximum: 100, description: 'The environments that can be registered in all' },
  projects: { ...list(ref('AllowedProject')), maxItems: 20, description: 'The CI projects that can be given their role' },
  spec: { ...anything, type: 'object', description: 'The `spec` of each environment, which the holder cannot change' },
} as const;
const project = object(
  {
    name: { ...text, maxLength: 255 },
    branch: { ...text, minLength: 1, maxLength: 255 },
    environment: { ...text, minLength: 1, maxLength: 255 },
  },
  ['name'],
);

/** Schemas of registration tokens. */
export const REGISTRATION_TOKEN_SCHEMAS = {
  RegistrationToken: object(
    {
      id: text,
      name: text,
      user: { ...text, description: 'Who issued it: environments are created with their permissions' },
      ...GRANT,
      registered: { ...integer, description: 'The environments that were registered with it' },
      created: { ...time, description: 'When its text was issued' },
      expires: time,
      lastUsed: { ...time, description: 'To the minute; absent: never' },
      state: { enum: REGISTRATION_TOKEN_STATES, description: '`Paused`: until its user signs in again' },
    },
    ['id', 'name', 'user', 'names', 'uses', 'projects', 'spec', 'registered', 'created', 'expires', 'state'],
  ),
  AllowedProject: {
    ...object(
      {
        name: {
          ...text,
          minLength: 1,
          maxLength: 255,
          description: 'As in `spec.projects` of an Environment; `my-team/*`: all of a group',
        },
        role: { enum: ['viewer', 'developer', 'maintainer'], description: 'Default: developer' },
        prefix: { ...text, minLength: 1, maxLength: 100 },
      },
      ['name'],
    ),
    additionalProperties: false,
  },
  RegistrationTokenDraft: {
    ...object(
      {
        name: { ...text, minLength: 1, maxLength: 64, description: 'Whom the token is for' },
        ...GRANT,
        uses: { ...GRANT.uses, default: 1 },
        expires: { ...time, description: 'Default: in 30 days' },
      },
      ['name', 'names'],
    ),
    additionalProperties: false,
  },
  IssuedRegistrationToken: object(
    {
      registrationToken: ref('RegistrationToken'),
      token: { ...text, description: 'The text to send as `Authorization: Bearer`; it is not shown again' },
    },
    ['registrationToken', 'token'],
  ),
  EnvironmentRegistration: {
    ...object(
      {
        name: { ...text, minLength: 1, maxLength: 63 },
        displayName: { ...text, minLength: 1, maxLength: 100 },
        owner: { ...text, minLength: 1, maxLength: 253, description: 'The group or team that is responsible for the environment' },
        contact: { ...text, minLength: 1, maxLength: 500 },
        projects: { ...list({ ...project, additionalProperties: false }), maxItems: 100, description: 'CI projects that the token allows' },
      },
      ['name'],
    ),
    additionalProperties: false,
    description: 'What the holder of a registration token sets; the token sets everything else',
  },
  RegisteredEnvironment: object({ name: text, displayName: text, namespace: text, tier: text }, [
    'name',
    'displayName',
    'namespace',
    'tier',
  ]),
} as const;
