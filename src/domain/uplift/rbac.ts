import type { KubeObject } from '../kubernetes/resource.ts';
import { rulesFor } from './conversion.ts';
import type { Lifted, RuleTable } from './conversion.ts';
import { compact, fieldsOf, listOf, without } from './fields.ts';
import type { Fields } from './fields.ts';

const CURRENT = 'rbac.authorization.k8s.io/v1';
const LEGACY = ['rbac.authorization.k8s.io/v1beta1', 'rbac.authorization.k8s.io/v1alpha1'];

export const rbacRules: RuleTable = {
  ...rulesFor(LEGACY, ['Role', 'ClusterRole'], (object) => ({ object: { ...object, apiVersion: CURRENT }, notes: [] })),
  ...rulesFor(LEGACY, ['RoleBinding', 'ClusterRoleBinding'], liftBinding),
};

/** v1alpha1 named the group of a subject by an `apiVersion`, and everybody by the user `*`, which v1 would take for a real name. */
function liftBinding(object: KubeObject): Lifted {
  const subjects = object['subjects'] === undefined ? undefined : listOf(object['subjects']);
  if (
    object.apiVersion.endsWith('/v1alpha1') &&
    subjects?.some((subject) => subject['kind'] === 'User' && subject['name'] === '*') === true
  ) {
    return { failed: 'it binds the user "*", which meant everybody; name the group system:authenticated instead' };
  }
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', ...fieldsOf(object['roleRef']) };
  const binding = compact({ ...object, roleRef, subjects: subjects?.map(currentSubject) });
  return { object: { ...binding, apiVersion: CURRENT, kind: object.kind, metadata: object.metadata }, notes: [] };
}

function currentSubject(subject: Fields): Fields {
  const { apiVersion } = subject;
  if (typeof apiVersion !== 'string') return subject;
  const apiGroup = subject['kind'] === 'ServiceAccount' ? undefined : 'rbac.authorization.k8s.io';
  return compact({ ...without(subject, 'apiVersion'), apiGroup });
}
