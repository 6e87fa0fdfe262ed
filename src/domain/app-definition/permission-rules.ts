import { list, object, orEmpty, text, type ValueOf } from '../kind/field.ts';
import { isReservedGroup, RESERVED_GROUPS, SAMPLE_GROUP } from '../kubernetes/reserved-objects.ts';
import { OURS } from '../kubernetes/names.ts';

/** Verbs that only read. */
const READING: readonly string[] = ['get', 'list', 'watch'];
/** A wildcard for the verbs of these includes escalate, bind and impersonate. */
const IDENTITIES: readonly string[] = [
  'roles',
  'rolebindings',
  'clusterroles',
  'clusterrolebindings',
  'serviceaccounts',
  'users',
  'groups',
];
/** The Environment decides these, and chartPolicies of its networkPolicy what charts may add. */
const LIMITS: readonly string[] = ['resourcequotas', 'limitranges', 'networkpolicies', 'namespaces'];
const RECORD = 'sh.helm.release.v1.';

const MESSAGES = {
  verbs: 'escalate, bind and impersonate cannot be granted: a chart would give itself any permission',
  anything: 'name the verbs or the resources: * for both cannot be granted',
  groups: 'name the API groups: * includes those of Chandlery and of operators to come',
  ours: 'the API groups of Chandlery cannot be granted',
  resources: 'name the resources of the API groups of Kubernetes: * includes roles, tokens and quotas',
  identities: 'name the verbs for roles, bindings and service accounts: * includes escalate, bind and impersonate',
  tokens: 'tokens of service accounts cannot be granted: those of the accounts that deploy other apps are among them',
  limits: 'namespaces, resourcequotas, limitranges and networkpolicies can be read only: the Environment decides them',
  records: 'release records of Helm cannot be granted: Helm alone writes them',
} as const;

const texts = (values: readonly string[]): string => `[${values.map((value) => `'${value}'`).join(', ')}]`;
const isOurs = [
  `group in ${texts(RESERVED_GROUPS)}`,
  `(group.endsWith('.${OURS.group}') && group != '${SAMPLE_GROUP}' && !group.endsWith('.${SAMPLE_GROUP}'))`,
].join(' || ');

/** The same as `permissionFault`, for the api-server; a test compares them. */
const rules = [
  {
    rule: "!self.verbs.exists(verb, verb in ['escalate', 'bind'] || verb.startsWith('impersonate'))",
    message: MESSAGES.verbs,
    fieldPath: '.verbs',
  },
  { rule: "!('*' in self.verbs && '*' in self.resources)", message: MESSAGES.anything, fieldPath: '.verbs' },
  { rule: "!('*' in self.apiGroups)", message: MESSAGES.groups, fieldPath: '.apiGroups' },
  { rule: `!self.apiGroups.exists(group, ${isOurs})`, message: MESSAGES.ours, fieldPath: '.apiGroups' },
  {
    rule: "!self.resources.exists(resource, resource.startsWith('*')) || self.apiGroups.all(group, group.contains('.') && !group.endsWith('.k8s.io'))",
    message: MESSAGES.resources,
    fieldPath: '.resources',
  },
  {
    rule: `!('*' in self.verbs) || !self.resources.exists(resource, resource in ${texts(IDENTITIES)})`,
    message: MESSAGES.identities,
    fieldPath: '.verbs',
  },
  { rule: "!self.resources.exists(resource, resource.startsWith('serviceaccounts/'))", message: MESSAGES.tokens, fieldPath: '.resources' },
  {
    rule: `!self.resources.exists(resource, resource.split('/')[0] in ${texts(LIMITS)}) || self.verbs.all(verb, verb in ${texts(READING)})`,
    message: MESSAGES.limits,
    fieldPath: '.verbs',
  },
  {
    rule: `!has(self.resourceNames) || !('secrets' in self.resources) || !self.resourceNames.exists(name, name.startsWith('${RECORD}'))`,
    message: MESSAGES.records,
    fieldPath: '.resourceNames',
  },
];

const permissionRule = object(
  {
    apiGroups: list(text({ maxLength: 253 }), {
      description: 'The API groups. Empty text: the core group of Kubernetes.',
      minItems: 1,
      maxItems: 10,
      merge: 'atomic',
    }),
    resources: list(text({ maxLength: 253, minLength: 1 }), {
      description: 'Plurals of kinds, for example servicemonitors, or with a subresource, for example pods/portforward.',
      minItems: 1,
      maxItems: 50,
      merge: 'atomic',
    }),
    verbs: list(text({ maxLength: 63, minLength: 1 }), {
      description: 'For example get, create, patch, delete.',
      minItems: 1,
      maxItems: 20,
      merge: 'atomic',
    }),
    resourceNames: orEmpty(
      list(text({ maxLength: 253, minLength: 1 }), { description: 'Names of objects. Empty: all.', maxItems: 50, merge: 'atomic' }),
    ),
  },
  { rules },
);

/** A rule of a Role. */
export type PermissionRule = ValueOf<typeof permissionRule>;

export const permissionsField = orEmpty(
  list(permissionRule, {
    description:
      "Rules of RBAC that releases of instances need beyond the role of chandlery-deployer. With any, releases are applied as a service account of the app's own, chandlery-deployer-<name>, which has them in the namespaces of releases; no other app has.",
    maxItems: 50,
    merge: 'atomic',
  }),
);

/** The rule as a Role has it. */
export function roleRule({ apiGroups, resources, verbs, resourceNames }: PermissionRule): object {
  return { apiGroups, resources, verbs, ...(resourceNames.length === 0 ? {} : { resourceNames }) };
}

/** Why a rule can be in no AppDefinition; undefined for one that can. The CRD has the same rules. */
function permissionFault({ apiGroups, resources, verbs, resourceNames }: PermissionRule): string | undefined {
  if (verbs.some((verb) => verb === 'escalate' || verb === 'bind' || verb.startsWith('impersonate'))) return MESSAGES.verbs;
  if (verbs.includes('*') && resources.includes('*')) return MESSAGES.anything;
  if (apiGroups.includes('*')) return MESSAGES.groups;
  if (apiGroups.some(isReservedGroup)) return MESSAGES.ours;
  const hasWildcard = resources.some((resource) => resource.startsWith('*'));
  if (hasWildcard && apiGroups.some((group) => !group.includes('.') || group.endsWith('.k8s.io'))) return MESSAGES.resources;
  if (verbs.includes('*') && resources.some((resource) => IDENTITIES.includes(resource))) return MESSAGES.identities;
  if (resources.some((resource) => resource.startsWith('serviceaccounts/'))) return MESSAGES.tokens;
  const isLimit = resources.some((resource) => LIMITS.includes(resource.split('/')[0] ?? ''));
  if (isLimit && verbs.some((verb) => !READING.includes(verb))) return MESSAGES.limits;
  return resources.includes('secrets') && resourceNames.some((name) => name.startsWith(RECORD)) ? MESSAGES.records : undefined;
}

/** A permission on one resource. */
export interface ResourcePermission {
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
  readonly verbs: readonly string[];
}

interface ProposedRules {
  /** The fewest rules that grant exactly the others. */
  readonly rules: readonly PermissionRule[];
  /** Those that no AppDefinition can grant. */
  readonly rejected: readonly { readonly permission: ResourcePermission; readonly reason: string }[];
}

/** The rules for `spec.permissions` that grant some permissions and nothing else. */
export function proposedRules(permissions: readonly ResourcePermission[]): ProposedRules {
  const judged = permissions.map((permission) => ({ permission, reason: permissionFault(ruleOf(permission)) }));
  const granted = judged.filter(({ reason }) => reason === undefined).map(({ permission }) => ruleOf(permission));
  const rejected = judged.flatMap(({ permission, reason }) => (reason === undefined ? [] : [{ permission, reason }]));
  const alike = Map.groupBy(granted, ({ apiGroups, verbs, resourceNames }) =>
    JSON.stringify([apiGroups, [...verbs].sort(), resourceNames]),
  );
  const rules = [...alike.values()].flatMap((group) =>
    group.slice(0, 1).map((first) => ({ ...first, resources: [...new Set(group.flatMap(({ resources }) => resources))] })),
  );
  return { rules, rejected };
}

/** A rule that grants one permission. */
export function ruleOf({ group, resource, name, verbs }: ResourcePermission): PermissionRule {
  return { apiGroups: [group], resources: [resource], verbs, resourceNames: name === undefined ? [] : [name] };
}
