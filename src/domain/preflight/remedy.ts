import { stringify } from 'yaml';
import type { MissingPermission } from '../core/errors.ts';
import { quoted } from '../instance/instance-commands.ts';
import type { Remedy } from './findings.ts';

/** A permission, and for whom. */
export interface RemedyInput {
  readonly user: string;
  readonly permission: MissingPermission;
  /** The published Apps by `<plural>.<group>`: for these there is a role already that grants just them. */
  readonly apps: ReadonlySet<string>;
  /** Verbs that are missing beside the one of the permission. */
  readonly verbs?: readonly string[];
}

const RBAC = 'rbac.authorization.k8s.io';
const READING: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/**
 * The smallest grant of a permission to one person or account: the existing role of an App, in one namespace; else a role of exactly this verb on exactly this
 * resource. Applying it twice changes nothing, and it takes no permission from anybody.
 */
export function remedyFor(input: RemedyInput): Remedy {
  const { permission, apps } = input;
  const existing = apps.has(idOf(permission)) && permission.namespace !== undefined;
  return existing ? withExistingRole(input) : withOwnRole(input);
}

function withExistingRole({ user, permission }: RemedyInput): Remedy {
  const name = `chandlery-app-${idOf(permission)}-${READING.has(permission.verb) ? 'view' : 'edit'}`;
  const binding = bindingOf({ user, permission, role: { kind: 'ClusterRole', name } });
  const where = `in the namespace ${permission.namespace ?? ''}`;
  return {
    permission,
    role: `ClusterRole ${name} ${where}`,
    yaml: yamlOf([binding]),
    kubectl: bindCommand(user, permission, `--clusterrole=${name}`),
  };
}

function withOwnRole({ user, permission, verbs: others = [] }: RemedyInput): Remedy {
  const kind = permission.namespace === undefined ? 'ClusterRole' : 'Role';
  const verbs = [...new Set([permission.verb, ...others])];
  const name = ['chandlery', ...verbs, idOf(permission).replaceAll('/', '-'), permission.name ?? '']
    .filter((part) => part !== '')
    .join('-');
  const names = permission.name === undefined ? {} : { resourceNames: [permission.name] };
  const rules = [{ apiGroups: [permission.group], resources: [permission.resource], ...names, verbs }];
  const role = { apiVersion: `${RBAC}/v1`, kind, metadata: placed(permission, name), rules };
  const scope = permission.namespace === undefined ? 'for the whole cluster' : `in the namespace ${permission.namespace}`;
  const flag = kind === 'ClusterRole' ? `--clusterrole=${name}` : `--role=${name}`;
  return {
    permission,
    role: `a new ${kind} ${name}, ${scope}`,
    yaml: yamlOf([role, bindingOf({ user, permission, role: { kind, name } })]),
    kubectl: `${roleCommand(name, { kind, permission, verbs })}\n${bindCommand(user, permission, flag)}`,
  };
}

interface BindingInput {
  readonly user: string;
  readonly permission: MissingPermission;
  readonly role: { readonly kind: string; readonly name: string };
}

function bindingOf({ user, permission, role }: BindingInput): object {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: permission.namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: placed(permission, bindingName(role.name, user)),
    subjects: [subjectOf(user)],
    roleRef: { apiGroup: RBAC, ...role },
  };
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

function subjectOf(user: string): object {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(user) ?? [];
  return name === undefined ? { kind: 'User', apiGroup: RBAC, name: user } : { kind: 'ServiceAccount', name, namespace };
}

function subjectFlag(user: string): string {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(user) ?? [];
  return name === undefined ? `--user=${quoted(user)}` : `--serviceaccount=${namespace}:${name}`;
}

function placed({ namespace }: MissingPermission, name: string): object {
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}

/** Names of RBAC objects may hold anything but `/` and `%`; one binding for each person, so that none replaces another. */
function bindingName(role: string, user: string): string {
  return `${role}:${encodeURIComponent(user).replaceAll('%3A', ':').replaceAll('%', '=')}`;
}

function roleCommand(
  name: string,
  { kind, permission, verbs }: { readonly kind: string; readonly permission: MissingPermission; readonly verbs: readonly string[] },
): string {
  const names = permission.name === undefined ? '' : ` --resource-name=${quoted(permission.name)}`;
  return `kubectl create ${kind.toLowerCase()} ${quoted(name)} --verb=${verbs.join(',')} --resource=${quoted(resourceOf(permission))}${names}${inNamespace(permission)}`;
}

function bindCommand(user: string, permission: MissingPermission, role: string): string {
  const kind = permission.namespace === undefined ? 'clusterrolebinding' : 'rolebinding';
  const name = bindingName(role.slice(role.indexOf('=') + 1), user);
  return `kubectl create ${kind} ${quoted(name)} ${role} ${subjectFlag(user)}${inNamespace(permission)}`;
}

function inNamespace({ namespace }: MissingPermission): string {
  return namespace === undefined ? '' : ` --namespace=${namespace}`;
}

/** `pods/log` of a group is `pods.group/log` for kubectl. */
function resourceOf({ resource, group }: MissingPermission): string {
  const [plural = '', subresource] = resource.split('/');
  return `${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
}

function idOf({ resource, group }: MissingPermission): string {
  return group === '' ? resource : `${resource}.${group}`;
}

function yamlOf(objects: readonly object[]): string {
  return objects.map((object) => stringify(object, { lineWidth: 0 })).join('---\n');
}
