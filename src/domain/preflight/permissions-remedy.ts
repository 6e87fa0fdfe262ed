import { stringify } from 'yaml';
import { APP_DEFINITION_KIND } from '../app-definition/app-definition-kind.ts';
import { type PermissionRule, proposedRules, type ResourcePermission, roleRule } from '../app-definition/permission-rules.ts';
import { stringifyJson } from '../core/exact-json.ts';
import { quoted } from '../instance/instance-commands.ts';
import { specOf } from '../kind/kind.ts';
import { apiVersionOf, type KubeObject } from '../kubernetes/resource.ts';
import { APP_DEFINITION } from '../kubernetes/resource-types.ts';
import type { Remedy } from './findings.ts';
import type { MissingAccess } from './release-permissions.ts';

/** The rules of `spec.permissions` that would let the releases of an app have what they lack, and what none can grant. */
export function missingRules(missing: readonly MissingAccess[]): ReturnType<typeof proposedRules> {
  return proposedRules(resourcePermissions(missing));
}

/** The missing permissions on resources, those on paths left out. */
export function resourcePermissions(missing: readonly MissingAccess[]): readonly ResourcePermission[] {
  return missing.flatMap(({ target, verbs }) => {
    if ('path' in target) return [];
    const { group, resource, name } = target;
    return [{ group, resource, verbs, ...(name === undefined ? {} : { name }) }];
  });
}

/** `spec.permissions` of an AppDefinition with some rules more. The whole list, because it is replaced as one. */
export function permissionsRemedy(definition: KubeObject, added: readonly PermissionRule[]): Remedy[] {
  const [first] = added;
  if (first === undefined) return [];
  const { name } = definition.metadata;
  const permissions = [...specOf(APP_DEFINITION_KIND, definition).permissions, ...added].map(roleRule);
  const object = { apiVersion: apiVersionOf(APP_DEFINITION), kind: APP_DEFINITION.kind, metadata: { name }, spec: { permissions } };
  const {
    apiGroups: [group = ''],
    resources: [resource = ''],
    verbs: [verb = ''],
  } = first;
  return [
    {
      permission: { verb, group, resource },
      role: `spec.permissions of the AppDefinition ${name}, for its releases alone`,
      yaml: `# kubectl apply --server-side --field-manager permissions\n${stringify(object, { lineWidth: 0 })}`,
      kubectl: `kubectl patch appdefinition ${name} --type merge --patch ${quoted(stringifyJson({ spec: { permissions } }))}`,
    },
  ];
}
