import { listAt, textAt } from '../../domain/core/read.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import type { ConditionInput } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { ROLE_BINDING } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { type BoundSubject, grantsOf } from '../../domain/permission/grants.ts';
import { isDeployer } from '../../domain/environment/deployer.ts';
import { ENVIRONMENT_ROLES } from '../../domain/environment/environment-kind.ts';
import type { EnvironmentSpec } from './environment-spec.ts';

/** The type of the condition that names RoleBindings to Chandlery's roles that the Environment did not make. */
export const FOREIGN_GRANTS = 'ForeignGrants';

const ROLE = /^chandlery-/;

/** The RoleBindings to roles of Chandlery, as they are watched. */
export interface GrantPorts {
  /** Those in the namespace of an Environment and in the namespaces that are dedicated to its instances, sorted by namespace and name. */
  readonly grantsIn: (environment: GrantScope, signal: AbortSignal) => Promise<readonly KubeObject[]>;
  /** Whether a CatalogSource has applied it, by the inventory of that source: every user who writes a RoleBinding can label it. */
  readonly isDeclared: (binding: KubeObject) => boolean;
}

export interface GrantScope {
  /** The name of the Environment. */
  readonly name: string;
  readonly namespace: string;
}

/** Whether a RoleBinding grants a role of Chandlery. */
export function grantsOurRole(binding: KubeObject): boolean {
  return textAt(binding, 'roleRef', 'kind') === 'ClusterRole' && ROLE.test(textAt(binding, 'roleRef', 'name') ?? '');
}

/** RoleBindings that a message names. */
const MAX_NAMED = 10;

/**
 * Reports RoleBindings to roles of Chandlery, in the namespaces of an Environment, that neither the Environment nor a CatalogSource made: they outlive a membership. Where the spec says so,
 * removes from them subjects that are no members.
 *
 * @returns the condition; empty where there are none.
 */
export async function reportForeignGrants(
  { cluster, grants }: { readonly cluster: Pick<Cluster, 'patch' | 'delete'>; readonly grants: GrantPorts },
  { environment, spec }: { readonly environment: KubeObject; readonly spec: EnvironmentSpec },
  signal: AbortSignal,
): Promise<readonly ConditionInput[]> {
  const scope = { name: environment.metadata.name, namespace: spec.namespace };
  const found = (await grants.grantsIn(scope, signal)).filter((binding) => !isOurs(binding) && !grants.isDeclared(binding));
  const left = spec.foreignGrants === 'Remove' ? await removeFormerMembers(cluster, spec, { bindings: found, signal }) : found;
  const [first] = left;
  if (first === undefined) return [];
  const named = left
    .slice(0, MAX_NAMED)
    .map((binding) => grantWords(binding, spec.namespace))
    .join('; ');
  const more = left.length > MAX_NAMED ? `; ${left.length - MAX_NAMED} more` : '';
  const remedy = `Delete them, for example kubectl delete rolebinding ${first.metadata.name} --namespace ${first.metadata.namespace ?? ''}, or set spec.foreignGrants: Remove`;
  const message = `RoleBindings that the Environment did not make grant roles of Chandlery: ${named}${more}. They stay when a membership ends. ${remedy}`;
  const observedGeneration = environment.metadata.generation ?? 0;
  return [{ type: FOREIGN_GRANTS, status: 'True', reason: 'Found', message, observedGeneration }];
}

/** Whether it carries the labels of what Chandlery makes for Environments. Other users can set them, but what has them and is not wanted, the controller deletes. */
export function isOurs({ metadata: { labels = {} } }: KubeObject): boolean {
  return labels['app.kubernetes.io/managed-by'] === 'chandlery' && labels[OURS.environmentLabel] !== undefined;
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
  const left: KubeObject[] = [];
  for (const binding of bindings) {
    const subjects = listAt(binding, 'subjects');
    const { name, namespace = '', uid, resourceVersion } = binding.metadata;
    const kept = subjects.filter((subject) => isDeployerOf(namespace, subject) || members.has(rawSubjectKey(subject)));
    const ref = { ...ROLE_BINDING, namespace, name };
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

function isDeployerOf(namespace: string, subject: unknown): boolean {
  const [kind, name = ''] = [textAt(subject, 'kind'), textAt(subject, 'name')];
  return kind === 'ServiceAccount' && textAt(subject, 'namespace') === namespace && isDeployer(name);
}

function rawSubjectKey(subject: unknown): string {
  return [textAt(subject, 'kind'), textAt(subject, 'namespace') ?? '', textAt(subject, 'name')].join(' ');
}

function subjectKey({ kind, name, namespace = '' }: BoundSubject): string {
  return [kind, namespace, name].join(' ');
}

/** @param home the namespace that goes without saying. */
function grantWords(binding: KubeObject, home: string): string {
  const { name, namespace = home } = binding.metadata;
  const grants = grantsOf([binding]);
  const to = grants.map(({ subject }) => `${subject.kind} ${subject.name}`).join(', ') || 'nobody';
  const where = namespace === home ? '' : ` in namespace ${namespace}`;
  return `"${name}"${where} grants ${textAt(binding, 'roleRef', 'name') ?? ''} to ${to}`;
}
