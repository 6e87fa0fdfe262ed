import { stringify } from 'yaml';
import { AppError } from '../../src/domain/core/errors.ts';
import type { EnvironmentDetails } from '../../src/domain/environment/environment.ts';
import { commandsFor } from '../../src/domain/instance/instance-commands.ts';
import type { Preflight } from '../../src/domain/instance/instance.ts';
import { ENVIRONMENT, permissionTo } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { joinFindings } from '../../src/domain/preflight/findings.ts';
import { remedyFor } from '../../src/domain/preflight/remedy.ts';
import type { Operations } from '../../src/operation/operations.ts';
import { SAMPLE_ENVIRONMENTS } from './sample-instances.ts';

const isAdmin = (groups: readonly string[]): boolean => groups.includes('oidc:platform');

/** What admins do with environments; `dev-a` may not. */
export const SAMPLE_ENVIRONMENT_OPERATIONS = {
  showEnvironment: async (_actor, name) => details(name),
  showEnvironmentOwner: async (_actor, name) =>
    name === 'shop' ? { owner: { tool: 'CatalogSource', name: 'catalog', path: 'environments/shop.yaml' }, sources: [] } : { sources: [] },
  environmentPermissions: async ({ groups }, name) => {
    if (isAdmin(groups)) return {};
    const create = permissionTo('create', ENVIRONMENT);
    if (name === undefined) return { create };
    return { create, update: { ...permissionTo('update', ENVIRONMENT), name }, delete: { ...permissionTo('delete', ENVIRONMENT), name } };
  },
  createEnvironment: async (_actor, { environment }) => details(environment.metadata.name),
  updateEnvironment: async (_actor, { environment }) => details(environment),
  deleteEnvironment: async () => undefined,
  preflightEnvironment: async ({ user, groups }, environment) => preflight(environment, isAdmin(groups) ? '' : user),
  preflightEnvironmentChange: async ({ user, groups }, { environment, spec }) =>
    preflight({ ...details(environment).object, spec }, isAdmin(groups) ? '' : user),
  previewEnvironmentDeletion: async (_actor, { environment }) => {
    const { namespace, groups, subjects } = details(environment);
    return {
      state: 'Preview',
      namespace,
      reclaim: environment === 'shop' ? 'Retain' : 'Delete',
      reserved: true,
      members: [...groups.map((group) => ({ kind: 'Group' as const, ...group })), ...subjects],
      instances: [
        { resource: 'postgresclusters.samples.chandlery.dev', kind: 'PostgresCluster', count: 3, names: ['archive', 'orders', 'reports'] },
      ],
      goes: ['The Environment', `The namespace ${namespace} with everything in it`],
      stays: ['Volumes whose reclaim policy is Retain, without a claim'],
      missing: [{ verb: 'list', group: '', resource: 'persistentvolumeclaims', namespace }],
      unavailable: [],
    };
  },
  proposeEnvironment: async () => noSource(),
  proposeEnvironmentChange: async () => noSource(),
} satisfies Partial<Operations>;

function details(name: string): EnvironmentDetails {
  const environment = SAMPLE_ENVIRONMENTS.find((one) => one.name === name);
  if (environment === undefined)
    throw new AppError('NotFound', `environment ${JSON.stringify(name)}: there is none of this name that you may see`);
  const { displayName, namespace, tier, groups, subjects } = environment;
  const object = {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'Environment',
    metadata: { name, uid: '1', generation: 1, labels: { cost: 'shop' } },
    spec: { displayName, namespace, tier, groups, subjects, quota: { 'requests.cpu': '8' }, reclaim: 'Retain' },
  };
  return { ...environment, object, etag: '"1.1"' };
}

/** @param user whose permission is missing; empty: none is. */
function preflight(object: KubeObject, user: string): Preflight {
  const permission = permissionTo('create', ENVIRONMENT);
  const lacks = user !== '';
  const commands = commandsFor(object, { method: 'POST', url: 'http://localhost:8080/api/v1/environments', body: object });
  return {
    verdict: lacks ? 'Blocked' : 'Ready',
    object,
    warnings: [],
    findings: joinFindings([{ created: [{ message: `Environment ${object.metadata.name}`, subject: 'Object', evidence: 'exact' }] }]),
    remedies: lacks ? [remedyFor({ user, permission, apps: new Set() })] : [],
    faults: [],
    missing: lacks ? [permission] : [],
    changes: [{ path: 'spec.tier', from: 'development', to: 'staging', layer: 'you', secret: false }],
    commands: { ...commands, yaml: stringify(object), file: `environments/${object.metadata.name}.yaml` },
  };
}

function noSource(): never {
  throw new AppError('ProposalImpossible', 'proposal: there is no source');
}
