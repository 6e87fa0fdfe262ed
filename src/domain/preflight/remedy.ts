import { stringify } from 'yaml';
import type { MissingRight } from '../core/errors.ts';
import { quoted } from '../instance/instance-commands.ts';
import type { Remedy } from './findings.ts';

/** A right, and for whom. */
export interface RemedyInput {
  readonly user: string;
  readonly right: MissingRight;
  /** The published Apps by `<plural>.<group>`: for these there is a role already that grants just them. */
  readonly apps: ReadonlySet<string>;
  /** Verbs that are missing beside the one of the right. */
  readonly verbs?: readonly string[];
}

const RBAC = 'rbac.authorization.k8s.io';
const READING: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/**
 * The smallest grant of a right to one person or account: the existing role of an App, in one namespace; else a role of exactly this verb on exactly this
 * resource. Applying it twice changes nothing, and it takes no right from anybody.
 */
export function remedyFor(input: RemedyInput): Remedy {
  const { right, apps } = input;
  const existing = apps.has(idOf(right)) && right.namespace !== undefined;
  return existing ? withExistingRole(input) : withOwnRole(input);
}

function withExistingRole({ user, right }: RemedyInput): Remedy {
  const name = `chandlery-app-${idOf(right)}-${READING.has(right.verb) ? 'view' : 'edit'}`;
  const binding = bindingOf({ user, right, role: { kind: 'ClusterRole', name } });
  const where = `in the namespace ${right.namespace ?? ''}`;
  return {
    right,
    role: `ClusterRole ${name} ${where}`,
    yaml: yamlOf([binding]),
    kubectl: bindCommand(user, right, `--clusterrole=${name}`),
  };
}

function withOwnRole({ user, right, verbs: others = [] }: RemedyInput): Remedy {
  const kind = right.namespace === undefined ? 'ClusterRole' : 'Role';
  const verbs = [...new Set([right.verb, ...others])];
  const name = ['chandlery', ...verbs, idOf(right).replaceAll('/', '-'), right.name ?? ''].filter((part) => part !== '').join('-');
  const names = right.name === undefined ? {} : { resourceNames: [right.name] };
  const rules = [{ apiGroups: [right.group], resources: [right.resource], ...names, verbs }];
  const role = { apiVersion: `${RBAC}/v1`, kind, metadata: placed(right, name), rules };
  const scope = right.namespace === undefined ? 'for the whole cluster' : `in the namespace ${right.namespace}`;
  const flag = kind === 'ClusterRole' ? `--clusterrole=${name}` : `--role=${name}`;
  return {
    right,
    role: `a new ${kind} ${name}, ${scope}`,
    yaml: yamlOf([role, bindingOf({ user, right, role: { kind, name } })]),
    kubectl: `${roleCommand(name, { kind, right, verbs })}\n${bindCommand(user, right, flag)}`,
  };
}

interface BindingInput {
  readonly user: string;
  readonly right: MissingRight;
  readonly role: { readonly kind: string; readonly name: string };
}

function bindingOf({ user, right, role }: BindingInput): object {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: right.namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: placed(right, bindingName(role.name, user)),
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

function placed({ namespace }: MissingRight, name: string): object {
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}

/** Names of RBAC objects may hold anything but `/` and `%`; one binding for each person, so that none replaces another. */
function bindingName(role: string, user: string): string {
  return `${role}:${encodeURIComponent(user).replaceAll('%3A', ':').replaceAll('%', '=')}`;
}

function roleCommand(
  name: string,
  { kind, right, verbs }: { readonly kind: string; readonly right: MissingRight; readonly verbs: readonly string[] },
): string {
  const names = right.name === undefined ? '' : ` --resource-name=${quoted(right.name)}`;
  return `kubectl create ${kind.toLowerCase()} ${quoted(name)} --verb=${verbs.join(',')} --resource=${quoted(resourceOf(right))}${names}${inNamespace(right)}`;
}

function bindCommand(user: string, right: MissingRight, role: string): string {
  const kind = right.namespace === undefined ? 'clusterrolebinding' : 'rolebinding';
  const name = bindingName(role.slice(role.indexOf('=') + 1), user);
  return `kubectl create ${kind} ${quoted(name)} ${role} ${subjectFlag(user)}${inNamespace(right)}`;
}

function inNamespace({ namespace }: MissingRight): string {
  return namespace === undefined ? '' : ` --namespace=${namespace}`;
}

/** `pods/log` of a group is `pods.group/log` for kubectl. */
function resourceOf({ resource, group }: MissingRight): string {
  const [plural = '', subresource] = resource.split('/');
  return `${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
}

function idOf({ resource, group }: MissingRight): string {
  return group === '' ? resource : `${resource}.${group}`;
}

function yamlOf(objects: readonly object[]): string {
  return objects.map((object) => stringify(object, { lineWidth: 0 })).join('---\n');
}
