import { stringifyJson } from '../../domain/core/exact-json.ts';
import { listAt, textAt } from '../../domain/core/read.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { operatorLabelValue, parseOperatorSpec } from '../../domain/operator/operator-spec.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';

const API_GROUP = 'rbac.authorization.k8s.io';
const ADMIN_ROLE = 'chandlery-admin';

/** Everybody whom a ClusterRoleBinding makes an admin, each once. */
export function adminSubjects(bindings: readonly KubeObject[]): readonly unknown[] {
  const subjects = bindings
    .filter((binding) => textAt(binding, 'roleRef', 'kind') === 'ClusterRole' && textAt(binding, 'roleRef', 'name') === ADMIN_ROLE)
    .flatMap((binding) => listAt(binding, 'subjects'));
  const once = new Map(subjects.map((subject) => [stringifyJson(subject), subject]));
  return [...once].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, subject]) => subject);
}

/**
 * What admins may read of an Operator at work: everything but Secrets where its release is, and Events where it is itself. Environments give
 * their own roles, so a namespace that is one is left out.
 *
 * @param reserved whether a namespace belongs to an Environment.
 */
export function adminBindings(operator: KubeObject, subjects: readonly unknown[], reserved: (namespace: string) => boolean): KubeObject[] {
  const { namespace = 'default', name } = operator.metadata;
  const { targetNamespace } = parseOperatorSpec(operator);
  const label = operatorLabelValue(namespace, name);
  const places = [
    { namespace: targetNamespace, role: 'chandlery-viewer' },
    ...(namespace === targetNamespace ? [] : [{ namespace, role: 'chandlery-operator-events' }]),
  ];
  if (subjects.length === 0) return [];
  return places.filter((place) => !reserved(place.namespace)).map((place) => bindingOf({ ...place, label, subjects }));
}

interface Grant {
  readonly namespace: string;
  readonly role: string;
  readonly label: string;
  readonly subjects: readonly unknown[];
}

function bindingOf({ namespace, role, label, subjects }: Grant): KubeObject {
  const labels = { 'app.kubernetes.io/part-of': 'chandlery', [OURS.operatorLabel]: label };
  return {
    apiVersion: `${API_GROUP}/v1`,
    kind: 'RoleBinding',
    metadata: { namespace, name: `chandlery-admins-${label}`, labels },
    roleRef: { apiGroup: API_GROUP, kind: 'ClusterRole', name: role },
    subjects,
  };
}
