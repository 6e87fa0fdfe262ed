import { AppError } from '../../src/domain/core/errors.ts';
import { remedyFor } from '../../src/domain/preflight/remedy.ts';
import type { Operations } from '../../src/operation/operations.ts';
import type { InstallPermission } from '../../src/operation/permission/list-permissions.ts';
import type { Member } from '../../src/operation/permission/list-members.ts';
import { SAMPLE_ENVIRONMENTS } from './sample-instances.ts';

const POSTGRES = 'postgresclusters.samples.chandlery.dev';

/** Who may do what in the sample environments: `shop` cannot be read by anybody. */
export const SAMPLE_PERMISSION_OPERATIONS = {
  listMembers: async ({ groups }, name) => {
    const environment = SAMPLE_ENVIRONMENTS.find((one) => one.name === name);
    if (environment === undefined)
      throw new AppError('NotFound', `environment ${JSON.stringify(name)}: there is none of this name that you may see`);
    const missing = { verb: 'list', group: 'rbac.authorization.k8s.io', resource: 'rolebindings', namespace: environment.namespace };
    if (name === 'shop') return { environment, members: [], missing };
    const recent = [{ user: 'oidc:dev-a', lastSeen: '2026-11-21T09:00:00Z' }];
    return { environment, members: MEMBERS, ...(groups.includes('oidc:platform') ? { recent } : {}) };
  },
  listPermissions: async ({ user }) => ({
    total: SAMPLE_ENVIRONMENTS.length,
    items: SAMPLE_ENVIRONMENTS.map(({ name, displayName, namespace, tier }) => ({
      environment: name,
      displayName,
      namespace,
      tier,
      roles:
        name === 'team-a'
          ? [{ role: 'developer', binding: 'chandlery-developer', managed: true, subject: { kind: 'Group', name: 'oidc:team-a' } }]
          : [],
      apps: [installPermission(user, namespace, name === 'team-a')],
      missing: [],
    })),
  }),
  reviewAccess: async (_actor, { user, groups, verb, resource, environment }) => {
    const permission = { verb, group: 'samples.chandlery.dev', resource: 'postgresclusters', namespace: environment ?? '' };
    const review = { reason: '', permission, limits: [], missing: [], kubectl: `kubectl auth can-i ${verb} ${resource} --as ${user}` };
    const subject = { kind: 'Group', name: groups[0] ?? '' } as const;
    const grants = [
      { ...CLUSTER_ROLE, role: 'chandlery-viewer', roleName: 'viewer', binding: 'chandlery-viewer', managed: true, subject, allows: false },
    ];
    return { ...review, allowed: false, grants, role: 'developer', remedy: remedyFor({ user, permission, apps: new Set([POSTGRES]) }) };
  },
} satisfies Partial<Operations>;

const CLUSTER_ROLE = { roleKind: 'ClusterRole', bindingKind: 'RoleBinding' } as const;

const MEMBERS: readonly Member[] = [
  {
    ...CLUSTER_ROLE,
    role: 'chandlery-developer',
    roleName: 'developer',
    binding: 'chandlery-developer',
    managed: true,
    origin: 'Group',
    subject: { kind: 'Group', name: 'oidc:team-a' },
  },
  {
    ...CLUSTER_ROLE,
    role: 'edit',
    roleName: 'ClusterRole edit',
    binding: 'by-hand',
    managed: false,
    origin: 'Other',
    subject: { kind: 'ServiceAccount', name: 'deploy', namespace: 'ci' },
  },
];

function installPermission(user: string, namespace: string, allowed: boolean): InstallPermission {
  const permission = { verb: 'create', group: 'samples.chandlery.dev', resource: 'postgresclusters', namespace };
  const app = { app: POSTGRES, appName: 'PostgreSQL', allowed };
  if (allowed) return { ...app, obstacles: [] };
  const message = `The permission to create ${POSTGRES} in the namespace ${namespace} is missing`;
  return { ...app, obstacles: [{ kind: 'Permission', message }], remedy: remedyFor({ user, permission, apps: new Set([POSTGRES]) }) };
}
