import { INSTALL_OBSTACLES } from '../../operation/permission/list-permissions.ts';
import { MEMBER_ORIGINS } from '../../operation/permission/list-members.ts';
import { textAt, textsAt } from '../../domain/core/read.ts';
import { ENVIRONMENT_ROLES } from '../../domain/environment/environment-kind.ts';
import { type Route, SMALL_BODY } from '../route.ts';
import { flag, list, object, pageOf, ref, text, time } from '../schema-parts.ts';

/** Environments on a page: each takes three calls of the api-server. */
const DEFAULT_LIMIT = 20;

/** Who may do what, and why not. */
export const PERMISSION_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/me/permissions',
    operationId: 'listPermissions',
    summary: 'List your roles in each environment that you can see, and which apps you can install there, with the reason where you cannot',
    tag: 'Account',
    query: {
      limit: { type: 'integer', minimum: 1, maximum: 100, default: DEFAULT_LIMIT, description: 'Environments a page' },
      after: { type: 'string', description: 'The `next` of the page before' },
    },
    replies: {
      200: {
        description: 'A page of environments, by name',
        schema: pageOf('EnvironmentPermissions', { total: { type: 'integer', description: 'Environments that you can see' } }),
      },
    },
    handle: async ({ operations, actor, query }) => {
      const { limit, after } = query;
      const page = { limit: typeof limit === 'number' ? limit : DEFAULT_LIMIT, ...(typeof after === 'string' ? { after } : {}) };
      return { status: 200, body: await operations.listPermissions(actor, page) };
    },
  },
  {
    method: 'get',
    path: '/environments/{environment}/members',
    operationId: 'listMembers',
    summary: 'List everybody with a role in the namespace of an environment, as far as you may list RoleBindings there',
    tag: 'Environments',
    replies: { 200: { description: 'The members, by role and name', schema: ref('EnvironmentMembers') } },
    handle: async ({ operations, actor, params }) => ({
      status: 200,
      body: await operations.listMembers(actor, params['environment'] ?? ''),
    }),
  },
  {
    method: 'post',
    path: '/access-reviews',
    operationId: 'reviewAccess',
    summary: 'Ask whether somebody may do something, and why (admins): a SubjectAccessReview with the bindings that apply',
    tag: 'Admin',
    body: ref('AccessQuery'),
    largestBody: SMALL_BODY,
    replies: { 200: { description: 'The answer', schema: ref('AccessReview') } },
    handle: async ({ operations, actor, body }) => {
      const [user = '', verb = '', resource = ''] = ['user', 'verb', 'resource'].map((key) => textAt(body, key));
      const [name, environment] = ['name', 'environment'].map((key) => textAt(body, key));
      const question = {
        user,
        groups: textsAt(body, 'groups'),
        verb,
        resource,
        ...(name === undefined ? {} : { name }),
        ...(environment === undefined ? {} : { environment }),
      };
      return { status: 200, body: await operations.reviewAccess(actor, question) };
    },
  },
];

const subject = object({ kind: { enum: ['User', 'Group', 'ServiceAccount'] }, name: text, namespace: text }, ['kind', 'name']);

/** Schemas of permissions. */
export const PERMISSION_SCHEMAS = {
  BoundSubject: subject,
  AccessQuery: {
    ...object(
      {
        user: { ...text, maxLength: 253, description: 'As the api-server sees it, with its prefix' },
        groups: { type: 'array', items: text, maxItems: 200 },
        verb: { ...text, maxLength: 63 },
        resource: { ...text, maxLength: 320, description: 'Plural and group, with a subresource', examples: ['deployments.apps/scale'] },
        name: { ...text, maxLength: 253 },
        environment: { ...text, maxLength: 63, description: 'Absent: in the whole cluster' },
      },
      ['user', 'verb', 'resource'],
    ),
    additionalProperties: false,
  },
  AccessReview: object(
    {
      allowed: flag,
      reason: { ...text, description: 'The reason that the api-server gives; empty when it gives none' },
      permission: ref('MissingPermission'),
      grants: {
        ...list(
          object(
            {
              subject: ref('BoundSubject'),
              roleName: text,
              roleKind: text,
              role: text,
              bindingKind: text,
              binding: text,
              managed: flag,
              allows: { ...flag, description: 'Whether the role has a rule for it; absent for a role that you may not read' },
            },
            ['subject', 'roleName', 'roleKind', 'role', 'bindingKind', 'binding', 'managed'],
          ),
        ),
        description: 'The bindings that apply, those that allow it first',
      },
      role: { enum: ENVIRONMENT_ROLES, description: 'The least role of an Environment that would allow it' },
      remedy: { ...ref('Remedy'), description: 'The smallest grant; absent when it is allowed' },
      limits: { ...list(text), description: 'Further checks, which may still reject it' },
      kubectl: text,
      missing: { ...list(ref('MissingPermission')), description: 'Without these, some bindings are not known' },
    },
    ['allowed', 'reason', 'permission', 'grants', 'limits', 'kubectl', 'missing'],
  ),
  EnvironmentPermissions: object({
    environment: text,
    displayName: text,
    namespace: text,
    tier: text,
    roles: list(
      object({
        role: { ...text, description: 'A role of the Environment, such as `developer`; else the ClusterRole or Role' },
        binding: text,
        managed: { ...flag, description: 'Whether Chandlery made the binding' },
        subject: { ...ref('BoundSubject'), description: 'You, or the group by which you have the role' },
      }),
    ),
    apps: list(ref('InstallPermission')),
    missing: { ...list(ref('MissingPermission')), description: 'Without these, the roles or the quota are not known' },
  }),
  InstallPermission: object(
    {
      app: text,
      appName: text,
      allowed: flag,
      obstacles: list(object({ kind: { enum: INSTALL_OBSTACLES }, message: text })),
      remedy: { ...ref('Remedy'), description: 'What would grant the permission, if that is missing' },
    },
    ['app', 'appName', 'allowed', 'obstacles'],
  ),
  EnvironmentMembers: object(
    {
      environment: ref('Environment'),
      members: list(
        object({
          subject: ref('BoundSubject'),
          roleName: { ...text, description: 'A role of the Environment, such as `developer`; else the ClusterRole or Role' },
          roleKind: text,
          role: text,
          bindingKind: text,
          binding: text,
          managed: { ...flag, description: 'Whether Chandlery made the binding' },
          origin: {
            enum: MEMBER_ORIGINS,
            description:
              'The field of the Environment that names the subject; `Deployer`: the account that releases of charts are applied as; `Other`: none does',
          },
        }),
      ),
      recent: {
        ...list(object({ user: text, lastSeen: time })),
        description: 'Who acted in the environment through Chandlery; absent if you may not read the audit log',
      },
      missing: { ...ref('MissingPermission'), description: 'Without it, no members are known' },
    },
    ['environment', 'members'],
  ),
} as const;
