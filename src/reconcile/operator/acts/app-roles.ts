import { isBuiltInGroup } from '../../../domain/kubernetes/resource-types.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import type { OperatorSpec } from '../../../domain/operator/operator-spec.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import type { CrdFact } from '../facts/observe-crds.ts';

/** The kind of an App. */
export type AppCrd = Pick<CrdFact, 'name' | 'group' | 'plural'>;
type Owner = Readonly<Record<string, string>>;

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'patch', 'update'];
const SCALE = ['patch', 'update'];

/** The kinds whose instances admins count: all but those that are called like one that Kubernetes serves, because a role on them is a role on the real one. */
export function countedCrds(crds: readonly CrdFact[]): readonly CrdFact[] {
  return crds.filter((crd) => !isBuiltInGroup(crd.group));
}

/** The kinds that somebody can install: of those, the namespaced ones that are not hidden. */
export function publishedCrds(crds: readonly CrdFact[], { catalog }: Pick<OperatorSpec, 'catalog'>): readonly CrdFact[] {
  const hidden = new Set(catalog.kinds.filter((entry) => entry.hidden).map((entry) => entry.kind));
  return countedCrds(crds).filter((crd) => crd.namespaced && !hidden.has(crd.kind));
}

/**
 * `chandlery-app-<crd>-view` for everybody and for releases that take outputs of instances, `-edit` for developers and maintainers, and `-impersonate` for Chandlery itself, which writes instances for people
 * where the cluster constrains impersonation.
 */
export function rolesOf(crd: CrdFact, label: string): readonly KubeObject[] {
  return appRoles(crd, { [OURS.operatorLabel]: label });
}

/** The same of an App whoever brings it. @param owner the label of its owner. */
export function appRoles(crd: AppCrd, owner: Owner): readonly KubeObject[] {
  const rules = (verbs: readonly string[]): unknown[] => [
    { apiGroups: [crd.group], resources: [crd.plural], verbs },
    { apiGroups: [crd.group], resources: [`${crd.plural}/scale`, `${crd.plural}/status`], verbs: ['get'] },
  ];
  // Whoever changes an instance sets its replicas, by either way.
  const scale = { apiGroups: [crd.group], resources: [`${crd.plural}/scale`], verbs: SCALE };
  return [
    role(`chandlery-app-${crd.name}-view`, { owner, audience: ['viewer', 'developer', 'maintainer', 'deployer'], rules: rules(READ) }),
    role(`chandlery-app-${crd.name}-edit`, { owner, audience: ['developer', 'maintainer'], rules: [...rules([...READ, ...WRITE]), scale] }),
    role(`chandlery-app-${crd.name}-impersonate`, {
      owner,
      audience: ['impersonator'],
      rules: [impersonation(crd, crd.plural, WRITE), impersonation(crd, `${crd.plural}/scale`, SCALE)],
    }),
  ];
}

function impersonation({ group }: AppCrd, resource: string, verbs: readonly string[]): object {
  return { apiGroups: [group], resources: [resource], verbs: verbs.map((verb) => `impersonate-on:user-info:${verb}`) };
}

/**
 * Lets admins see how many instances there are and which, because an Operator cannot be deleted while there are some. `list` alone is the smallest
 * right that tells names; there is none in Kubernetes for names without the rest.
 */
export function countRole(crd: AppCrd, owner: Owner): KubeObject {
  const rules = [{ apiGroups: [crd.group], resources: [crd.plural], verbs: ['list'] }];
  return role(`chandlery-app-${crd.name}-count`, { owner, audience: ['admin'], rules });
}

/** Lets Chandlery act as the deployer of an app. @param legacy whether the cluster does not constrain impersonation. */
export function deployerRole(crd: AppCrd, owner: Owner, { account, legacy }: { account: string; legacy: boolean }): KubeObject {
  const place = legacy
    ? { apiGroups: [''], resources: ['serviceaccounts'], resourceNames: [account], verbs: ['impersonate'] }
    : {
        apiGroups: ['authentication.k8s.io'],
        resources: ['serviceaccounts'],
        resourceNames: [account],
        verbs: ['impersonate:serviceaccount'],
      };
  return role(`chandlery-app-${crd.name}-deploy`, { owner, audience: ['deployer-impersonator'], rules: [place] });
}

function role(
  name: string,
  { owner, audience, rules }: { owner: Owner; audience: readonly string[]; rules: readonly unknown[] },
): KubeObject {
  const aggregate = Object.fromEntries(audience.map((word) => [`${OURS.aggregateLabel}${word}`, 'true']));
  const labels = { 'app.kubernetes.io/part-of': 'chandlery', ...owner, ...aggregate };
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name, labels }, rules };
}
