import { listAt, textAt } from '../../domain/core/read.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import type { ConditionInput } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { ROLE_BINDING } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { type BoundSubject, grantsOf } from '../../domain/permission/grants.ts';
import { DEPLOYER } from '../../domain/environment/deployer.ts';
import { ENVIRONMENT_ROLES } from '../../domain/environment/environment-kind.ts';
import type { EnvironmentSpec } from './environment-spec.ts';

/** The type of the condition that names RoleBindings to Chandlery's roles that the Environment did not make. */
export const FOREIGN_GRANTS = 'ForeignGrants';

const ROLE = /^chandlery-/;
/** RoleBindings that a message names. */
const MAX_NAMED = 10;

/**
 * Reports RoleBindings of a namespace to roles of Chandlery that neither the Environment nor a CatalogSource made: they outlive a membership. Where the spec says so, removes from
 * them subjects that are no members.
 *
 * @returns the condition; empty where there are none.
 */
export async function reportForeignGrants(
  cluster: Pick<Cluster, 'list' | 'patch' | 'delete'>,
  { environment, spec }: { readonly environment: KubeObject; readonly spec: EnvironmentSpec },
  signal: AbortSignal,
): Promise<readonly ConditionInput[]> {
  const { items } = await cluster.list(ROLE_BINDING, { namespace: spec.namespace, signal });
  const found = items.filter(isForeign);
  const left = spec.foreignGrants === 'Remove' ? await removeFormerMembers(cluster, spec, { bindings: found, signal }) : found;
  if (left.length === 0) return [];
  const named = left.slice(0, MAX_NAMED).map(grantWords).join('; ');
  const more = left.length > MAX_NAMED ? `; ${left.length - MAX_NAMED} more` : '';
  const remedy = `Delete them, for example kubectl delete rolebinding ${left[0]?.metadata.name ?? ''} --namespace ${spec.namespace}, or set spec.foreignGrants: Remove`;
  const message = `RoleBindings that the Environment did not make grant roles of Chandlery: ${named}${more}. They stay when a membership ends. ${remedy}`;
  const observedGeneration = environment.metadata.generation ?? 0;
  return [{ type: FOREIGN_GRANTS, status: 'True', reason: 'Found', message, observedGeneration }];
}

function isForeign({ metadata, ...binding }: KubeObject): boolean {
  const { labels = {} } = metadata;
  const isOurs = labels['app.kubernetes.io/managed-by'] === 'chandlery' && labels[OURS.environmentLabel] !== undefined;
  const isDeclared = labels[OURS.sourceLabel] !== undefined;
  const isRole = textAt(binding, 'roleRef', 'kind') === 'ClusterRole' && ROLE.test(textAt(binding, 'roleRef', 'name') ?? '');
  return isRole && !isOurs && !isDeclared;
}

interface Removal {
  readonly bindings: readonly KubeObject[];
  readonly signal: AbortSignal;
}

/** Only as each was read. @returns those that still grant something. */
async function removeFormerMembers(
  cluster: Pick<Cluster, 'patch' | 'delete'>,
  spec: EnvironmentSpec,
  { bindings, signal }: Removal,
): Promise<readonly KubeObject[]> {
  const members = new Set([...ENVIRONMENT_ROLES.flatMap((role) => spec.members[role]), ...spec.helmUsers].map(subjectKey));
  members.add(subjectKey({ kind: 'ServiceAccount', name: DEPLOYER, namespace: spec.namespace }));
  const left: KubeObject[] = [];
  for (const binding of bindings) {
    const subjects = listAt(binding, 'subjects');
    const kept = subjects.filter((subject) => members.has(rawSubjectKey(subject)));
    const { name, uid, resourceVersion } = binding.metadata;
    const ref = { ...ROLE_BINDING, namespace: spec.namespace, name };
    if (kept.length === 0) await ifFound(cluster.delete(ref, { signal, ...(uid === undefined ? {} : { uid }) }));
    else if (kept.length < subjects.length)
      await ifFound(
        cluster.patch(
          ref,
          { type: 'merge', body: { metadata: { resourceVersion }, subjects: kept } },
          { fieldManager: OURS.fieldManager, signal },
        ),
      );
    if (kept.length > 0) left.push({ ...binding, subjects: kept });
  }
  return left;
}

function rawSubjectKey(subject: unknown): string {
  return [textAt(subject, 'kind'), textAt(subject, 'namespace') ?? '', textAt(subject, 'name')].join(' ');
}

function subjectKey({ kind, name, namespace = '' }: BoundSubject): string {
  return [kind, namespace, name].join(' ');
}

function grantWords(binding: KubeObject): string {
  const grants = grantsOf([binding]);
  const to = grants.map(({ subject }) => `${subject.kind} ${subject.name}`).join(', ') || 'nobody';
  return `"${binding.metadata.name}" grants ${textAt(binding, 'roleRef', 'name') ?? ''} to ${to}`;
}
