import { isDeepStrictEqual } from 'node:util';
import { isAppError } from '../../../domain/errors.ts';
import { OURS } from '../../../domain/names.ts';
import type { OperatorSpec } from '../../../domain/operator-spec.ts';
import type { KubeObject } from '../../../domain/resource.ts';
import { CLUSTER_ROLE } from '../kinds.ts';
import type { CrdFact } from '../facts/observe-crds.ts';
import type { Work } from '../work.ts';

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'patch', 'update'];

/**
 * Gives people rights on what an Operator brings, by small ClusterRoles that Kubernetes aggregates into ours: two for each App, and one for each
 * kind by which admins count its instances. Those of Apps that are gone or hidden are removed.
 */
export async function publish(work: Work, crds: readonly CrdFact[]): Promise<void> {
  const { ports, spec, label, signal } = work;
  const wanted = [...publishedCrds(crds, spec).flatMap((crd) => rolesOf(crd, label)), ...crds.map((crd) => countRole(crd, label))];
  const live = await liveRoles(work);
  for (const role of wanted) {
    const known = live.find(({ metadata }) => metadata.name === role.metadata.name);
    if (known !== undefined && isDeepStrictEqual(known['rules'], role['rules'])) continue;
    await ports.cluster.apply(CLUSTER_ROLE, role, { fieldManager: OURS.fieldManager, force: 'force', signal });
  }
  const names = new Set(wanted.map((role) => role.metadata.name));
  await remove(
    work,
    live.filter(({ metadata }) => !names.has(metadata.name)),
  );
}

/** Removes the rights on all Apps of an Operator. */
export async function unpublish(work: Work): Promise<void> {
  await remove(work, await liveRoles(work));
}

/** The kinds that somebody can install: namespaced, and not hidden. */
export function publishedCrds(crds: readonly CrdFact[], { catalog }: Pick<OperatorSpec, 'catalog'>): readonly CrdFact[] {
  const hidden = new Set(catalog.kinds.filter((entry) => entry.hidden).map((entry) => entry.kind));
  return crds.filter((crd) => crd.namespaced && !hidden.has(crd.kind));
}

/** `chandlery-app-<crd>-view` for everybody, `-edit` for developers and maintainers. */
export function rolesOf(crd: CrdFact, label: string): readonly KubeObject[] {
  const rules = (verbs: readonly string[]): unknown[] => [
    { apiGroups: [crd.group], resources: [crd.plural], verbs },
    { apiGroups: [crd.group], resources: [`${crd.plural}/status`], verbs: ['get'] },
  ];
  return [
    role(`chandlery-app-${crd.name}-view`, { label, audience: ['viewer', 'developer', 'maintainer'], rules: rules(READ) }),
    role(`chandlery-app-${crd.name}-edit`, { label, audience: ['developer', 'maintainer'], rules: rules([...READ, ...WRITE]) }),
  ];
}

/**
 * Lets admins see how many instances there are and which, because an Operator cannot be deleted while there are some. `list` alone is the smallest
 * right that tells names; there is none in Kubernetes for names without the rest.
 */
function countRole(crd: CrdFact, label: string): KubeObject {
  const rules = [{ apiGroups: [crd.group], resources: [crd.plural], verbs: ['list'] }];
  return role(`chandlery-app-${crd.name}-count`, { label, audience: ['admin'], rules });
}

function role(
  name: string,
  { label, audience, rules }: { label: string; audience: readonly string[]; rules: readonly unknown[] },
): KubeObject {
  const aggregate = Object.fromEntries(audience.map((word) => [`chandlery.dev/aggregate-to-${word}`, 'true']));
  const labels = { 'app.kubernetes.io/part-of': 'chandlery', [OURS.operatorLabel]: label, ...aggregate };
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name, labels }, rules };
}

async function liveRoles({ ports, label, signal }: Work): Promise<readonly KubeObject[]> {
  return (await ports.cluster.list(CLUSTER_ROLE, { labelSelector: `${OURS.operatorLabel}=${label}`, signal })).items;
}

async function remove({ ports, signal }: Work, roles: readonly KubeObject[]): Promise<void> {
  for (const { metadata } of roles) {
    try {
      await ports.cluster.delete({ ...CLUSTER_ROLE, name: metadata.name }, { signal });
    } catch (error) {
      if (!isAppError(error, 'NotFound')) throw error;
    }
  }
}
