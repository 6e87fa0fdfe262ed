import { listAt, objectAt, textAt } from '../core/read.ts';
import { type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';
import { type AskedPermission, isAllowedBy } from '../permission/grants.ts';
import { templateOf } from '../workload/pod-template.ts';

/** What the policy chandlery-environment-service-accounts asks of a service account: a permission in the namespace of its pods, or in all namespaces. */
interface Power extends AskedPermission {
  readonly scope: 'Namespace' | 'Cluster';
}

const power = (verb: string, group: string, resource: string, scope: Power['scope'] = 'Namespace'): Power => ({
  verb,
  group,
  resource,
  scope,
});

/** As the policy has them; a test compares the two. */
const POWERS: readonly Power[] = [
  power('create', '', 'pods'),
  power('create', '', 'replicationcontrollers'),
  power('patch', '', 'pods'),
  power('update', '', 'pods'),
  power('create', 'apps', 'deployments'),
  power('create', 'apps', 'statefulsets'),
  power('create', 'apps', 'daemonsets'),
  power('create', 'apps', 'replicasets'),
  power('patch', 'apps', 'deployments'),
  power('patch', 'apps', 'statefulsets'),
  power('create', 'batch', 'jobs'),
  power('create', 'batch', 'cronjobs'),
  power('create', '', 'pods/exec'),
  power('create', '', 'pods/attach'),
  power('patch', '', 'pods/ephemeralcontainers'),
  power('create', 'rbac.authorization.k8s.io', 'rolebindings'),
  power('create', '', 'serviceaccounts/token'),
  power('impersonate', '', 'serviceaccounts'),
  power('impersonate', '', 'users', 'Cluster'),
  power('get', '', 'nodes/proxy', 'Cluster'),
  power('get', '', 'secrets', 'Cluster'),
  power('list', '', 'secrets', 'Cluster'),
  power('list', '', 'configmaps', 'Cluster'),
  power('list', '', 'pods', 'Cluster'),
  power('update', 'chandlery.dev', 'environments', 'Cluster'),
  power('create', 'operatorcontroller.kubeplus', 'operators'),
  power('update', 'chandlery.dev', 'releaserecords'),
];

/** A service account of a release whose pods the policy does not admit, unless an admin has listed it. */
export interface PowerfulAccount {
  readonly account: string;
  /** `StatefulSet web`, the first of those whose pods run as the account. */
  readonly workload: string;
  /** What the roles of the release give the account, of what the policy asks: `create pods`. */
  readonly powers: readonly string[];
}

const RBAC = 'rbac.authorization.k8s.io';
const MAX_ACCOUNTS = 20;

/**
 * Which service accounts the roles of a release itself make too powerful for pods in an Environment. Helm makes the roles before the workloads, so a dry run, in which they are
 * missing, does not show it.
 *
 * @param namespace of the release.
 */
export function powerfulAccounts(objects: readonly KubeObject[], namespace: string): readonly PowerfulAccount[] {
  const users = new Map<string, string>();
  for (const object of objects) {
    const account = textAt(templateOf(object), 'spec', 'serviceAccountName') ?? '';
    if (account !== '' && !users.has(account) && (object.metadata.namespace ?? namespace) === namespace)
      users.set(account, `${object.kind} ${object.metadata.name}`);
  }
  return [...users].slice(0, MAX_ACCOUNTS).flatMap(([account, workload]): PowerfulAccount[] => {
    const powers = powersOf(account, objects, namespace);
    return powers.length === 0 ? [] : [{ account, workload, powers }];
  });
}

function powersOf(account: string, objects: readonly KubeObject[], namespace: string): readonly string[] {
  const bindings = objects.filter((object) => isBindingIn(namespace, object) && bindsAccount(object, { account, namespace }));
  const given = bindings.flatMap((binding) => {
    const rules = rulesOf(binding, objects);
    return POWERS.filter(({ scope }) => scope === 'Namespace' || binding.kind === 'ClusterRoleBinding').filter((power) =>
      isAllowedBy(rules, power),
    );
  });
  return [...new Set(given.map(({ verb, resource }) => `${verb} ${resource}`))];
}

function isBindingIn(namespace: string, { apiVersion, kind, metadata }: KubeObject): boolean {
  if (parseApiVersion(apiVersion).group !== RBAC) return false;
  return kind === 'ClusterRoleBinding' || (kind === 'RoleBinding' && (metadata.namespace ?? namespace) === namespace);
}

function bindsAccount(binding: KubeObject, { account, namespace }: { readonly account: string; readonly namespace: string }): boolean {
  return listAt(binding, 'subjects').some((subject) => {
    const name = textAt(subject, 'name');
    if (textAt(subject, 'kind') === 'Group') return name?.startsWith('system:serviceaccounts') === true;
    return name === account && (textAt(subject, 'namespace') ?? namespace) === namespace;
  });
}

function rulesOf(binding: KubeObject, objects: readonly KubeObject[]): readonly unknown[] {
  const [kind, name] = [textAt(binding, 'roleRef', 'kind'), textAt(binding, 'roleRef', 'name')];
  const role = objects.find(
    (object) => object.kind === kind && object.metadata.name === name && parseApiVersion(object.apiVersion).group === RBAC,
  );
  return listAt(role, 'rules');
}

/** The annotation of a namespace that lists accounts which an admin admits. */
export const ALLOWED_ACCOUNTS = 'chandlery.dev/allowed-service-accounts';

/** The accounts that an admin has listed for a namespace. */
export function allowedAccounts(metadata: unknown): readonly string[] {
  const listed = objectAt(metadata, 'annotations')[ALLOWED_ACCOUNTS];
  return typeof listed === 'string'
    ? listed
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
    : [];
}
