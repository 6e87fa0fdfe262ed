import { unchanged } from '../kind/structural-schema.ts';
import { AGE_COLUMN, MESSAGE_COLUMN, READY_COLUMN, type Kind } from '../kind/kind.ts';
import {
  choice,
  conditionsField,
  flag,
  foreign,
  generation,
  integer,
  list,
  object,
  optional,
  orEmpty,
  text,
  type ValueOf,
} from '../kind/field.ts';
import { monitoringField } from '../monitoring/monitoring-field.ts';
import { kindHealthField } from '../operator/kind/health-fields.ts';
import { ENVIRONMENT } from '../kubernetes/resource-types.ts';
import { allowedAppsField } from './allowed-apps.ts';
import { expiresField } from './expiry.ts';
import { meshField } from './mesh.ts';
import { limitRangeField, podSecurityMembers, quotaField } from './namespace-policy.ts';
import { networkPolicyField } from './network-policy.ts';

export const ENVIRONMENT_ROLES = ['viewer', 'developer', 'maintainer'] as const;
export type EnvironmentRole = (typeof ENVIRONMENT_ROLES)[number];

/** An RFC 1123 label. */
const LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';

const role = choice(ENVIRONMENT_ROLES, {
  description:
    'What they may do: a viewer reads, a developer also installs, changes and deletes apps, and restarts and scales what runs, a maintainer also removes what apps leave behind.',
});

const group = object(
  {
    name: text({
      description: 'The name of the group exactly as the api-server sees it, with its prefix, for example oidc:team-a.',
      minLength: 1,
      maxLength: 253,
      rules: [
        { rule: "!self.startsWith('system:')", message: 'the groups of the cluster itself (system:) cannot be given an environment' },
      ],
    }),
    role,
  },
  {},
);

const subjectMembers = {
  kind: choice(['User', 'Group', 'ServiceAccount'], { description: 'User, Group or ServiceAccount.' }),
  name: text({ description: 'The name exactly as the api-server sees it.', minLength: 1, maxLength: 253 }),
  namespace: optional(text({ description: 'The namespace of the ServiceAccount.', maxLength: 63 })),
};

const SUBJECT_RULES = {
  rules: [
    {
      rule: "(self.kind == 'ServiceAccount') == has(self.__namespace__)",
      message: 'namespace is needed for a ServiceAccount, and only there',
    },
  ],
};

const subject = object({ ...subjectMembers, role }, SUBJECT_RULES);

const helmUser = object(subjectMembers, SUBJECT_RULES);

/** Tokens of jobs with these characters in a claim are rejected, so that a group stands for one branch or environment. */
const UNAMBIGUOUS = '^[^:*]+$';

const project = object(
  {
    name: text({
      description:
        'The path of the project as its CI has it, for example my-team/project. my-team/* stands for all projects of the group my-team and of its subgroups.',
      maxLength: 255,
      pattern: String.raw`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*(/\*)?$`,
    }),
    role: choice(ENVIRONMENT_ROLES, { description: 'What its jobs may do, as for a group.', default: 'developer' }),
    branch: optional(
      text({
        description: 'Only jobs that run on this branch. Default: jobs on every branch and tag.',
        minLength: 1,
        maxLength: 255,
        pattern: UNAMBIGUOUS,
      }),
    ),
    environment: optional(
      text({
        description: 'Only jobs that deploy to the environment that the CI knows by this name. Default: all jobs.',
        minLength: 1,
        maxLength: 255,
        pattern: UNAMBIGUOUS,
      }),
    ),
    prefix: optional(
      text({
        description:
          'The prefix of the issuer that signs the tokens of the jobs, for example github: for --ci-issuer github:github=URL. Default: none.',
        minLength: 1,
        maxLength: 100,
      }),
    ),
  },
  {
    rules: [
      {
        rule: '!has(self.branch) || !has(self.environment)',
        message: 'set either branch or environment; the CI decides which branches deploy to an environment',
      },
      {
        rule: "!self.name.endsWith('/*') || (!has(self.branch) && !has(self.environment))",
        message: 'branch and environment are those of one project; name the project',
      },
      { rule: "!has(self.prefix) || !self.prefix.startsWith('system:')", message: 'a prefix must not begin with system:' },
    ],
  },
);

const serviceAccount = object(
  {
    name: text({
      description: 'The name of the ServiceAccount in the namespace.',
      maxLength: 63,
      pattern: LABEL,
      rules: [
        {
          rule: "self != 'default' && !self.startsWith('chandlery-')",
          message: 'default belongs to Kubernetes, and names that begin with chandlery- are reserved',
        },
      ],
    }),
    role: choice(ENVIRONMENT_ROLES, { description: 'What the account may do in the environment.', default: 'developer' }),
  },
  {},
);

const overlay = object(
  {
    app: text({
      description: 'The app, by the name of its CustomResourceDefinition, for example caches.samples.chandlery.dev.',
      maxLength: 253,
      pattern: String.raw`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$`,
    }),
    values: orEmpty(
      foreign({ description: 'What a new instance starts with, laid out like the resource itself, for example {spec{replicas 2}}.' }),
    ),
    locked: orEmpty(
      list(text({ minLength: 6, maxLength: 500, pattern: String.raw`^spec\.` }), {
        description:
          'Dotted paths of fields that people cannot set here, for example spec.storage.className: they have the value of the overlay, of the catalogue or of the kind itself.',
        maxItems: 200,
      }),
    ),
  },
  {},
);

const spec = object(
  {
    displayName: optional(text({ description: 'What people call the environment. Default is its name.', minLength: 1, maxLength: 100 })),
    namespace: optional(
      text({
        description: 'The namespace that is made and reserved for the environment. Default is metadata.name. It cannot be changed later.',
        maxLength: 63,
        pattern: LABEL,
      }),
    ),
    owner: optional(text({ description: 'The group or team that is responsible for the environment.', minLength: 1, maxLength: 253 })),
    contact: optional(
      text({ description: 'How to reach the owner: a mail address, an address of a page or a text.', minLength: 1, maxLength: 500 }),
    ),
    tier: text({
      description: 'What the environment is for, for example production, staging, testing or development.',
      default: 'development',
      maxLength: 63,
      pattern: LABEL,
    }),
    groups: orEmpty(
      list(group, { description: 'The groups that may use the environment, each with a role.', maxItems: 100, merge: { by: 'name' } }),
    ),
    subjects: orEmpty(
      list(subject, {
        description: 'Single users and service accounts, or groups, that may use the environment, each with a role.',
        maxItems: 100,
        merge: 'atomic',
      }),
    ),
    projects: orEmpty(
      list(project, {
        description: 'The CI projects whose jobs may use the environment, by the ID token of the job.',
        maxItems: 100,
        merge: 'atomic',
      }),
    ),
    serviceAccounts: orEmpty(
      list(serviceAccount, {
        description:
          'Service accounts of the environment, each with a role, for scripts and bots. Maintainers create short-lived tokens for them.',
        maxItems: 50,
        merge: { by: 'name' },
      }),
    ),
    helmUsers: orEmpty(
      list(helmUser, {
        description:
          'Who may write the release records of Helm in the namespace, to deploy with helm itself beside Chandlery. Chandlery acts on a record as chandlery-deployer, or as the account of the app, so a user who writes one can have that account create and delete objects.',
        maxItems: 100,
        merge: 'atomic',
      }),
    ),
    maintainerServiceAccounts: flag({
      description:
        'Gives each maintainer a service account, for which nobody else may create tokens. Its name is maintainer- and the name of the maintainer.',
      default: false,
    }),
    quota: quotaField('The most that the environment may hold in all'),
    limitRange: limitRangeField,
    podSecurity: object(podSecurityMembers, {
      description:
        'The Pod Security Standards that pods of the environment have to meet, as the labels pod-security.kubernetes.io/* of its namespace say.',
      default: {},
    }),
    networkPolicy: optional(networkPolicyField),
    mesh: optional(meshField),
    allowedApps: optional(allowedAppsField),
    expires: optional(expiresField),
    overlay: orEmpty(
      list(overlay, {
        description:
          'What new instances start with here, over what the catalogue says. Not for secrets; everybody who sees the environment can read it.',
        maxItems: 100,
        merge: { by: 'app' },
      }),
    ),
    monitoring: optional(monitoringField('the namespace chandlery-system')),
    health: kindHealthField('in the namespace'),
    foreignGrants: choice(['Report', 'Remove'], {
      description:
        'What happens to RoleBindings in the namespace, and in those dedicated to instances, that grant a role of Chandlery and that neither the environment nor a catalogue source made. Report names them in the condition ForeignGrants; Remove also takes them from subjects that are no members.',
      default: 'Report',
    }),
    reclaim: choice(['Retain', 'Delete'], {
      description:
        'What happens to the namespace when the environment is deleted. Retain keeps it with everything in it and takes only the permissions away; Delete deletes the namespace and all it holds.',
      default: 'Retain',
    }),
  },
  {
    description: 'The namespace, who may use it and how much it may hold.',
    rules: [
      {
        rule: unchanged('__namespace__'),
        message: 'namespace is immutable; make another environment',
      },
    ],
  },
);

const status = object(
  {
    observedGeneration: optional(generation({ description: 'The generation of the spec that this status is about.' })),
    namespace: optional(text({ description: 'The namespace that is reserved for the environment.' })),
    namespaceUID: optional(
      text({ description: 'The uid of that namespace. One of the same name that somebody else made is not taken for it.' }),
    ),
    expiresAt: optional(text({ description: 'When the environment expires, RFC 3339.' })),
    instances: optional(integer({ description: 'How many instances of apps exist in the namespace.', minimum: 0 })),
    conditions: conditionsField('the environment'),
  },
  { description: 'What the controller found and did. Written by the controller alone.' },
);

/** What an environment lays over the catalogue for one App: values laid out like the resource, and dotted paths that people do not set. */
export type AppOverlay = ValueOf<typeof overlay>;

export const ENVIRONMENT_KIND: Kind<ValueOf<typeof spec>, ValueOf<typeof status>> = {
  type: ENVIRONMENT,
  shortNames: ['env'],
  description: 'An Environment is a reserved namespace with the people who may use it, their permissions and its quota.',
  columns: [
    {
      name: 'Namespace',
      type: 'string',
      description: 'The namespace that is reserved for the environment',
      jsonPath: '.status.namespace',
    },
    { name: 'Tier', type: 'string', jsonPath: '.spec.tier' },
    READY_COLUMN,
    { name: 'Expires', type: 'string', description: 'When the environment expires', jsonPath: '.status.expiresAt' },
    { ...MESSAGE_COLUMN, priority: 1 },
    AGE_COLUMN,
  ],
  rules: [
    {
      rule: "has(self.spec.__namespace__) || (self.metadata.name.size() <= 63 && !self.metadata.name.contains('.'))",
      message: 'the name of the environment cannot be that of a namespace; set spec.namespace',
    },
    {
      rule: [
        'has(self.spec.__namespace__)',
        "? !(self.spec.__namespace__.startsWith('kube-') || self.spec.__namespace__ in ['default', 'chandlery-system'])",
        ": !(self.metadata.name.startsWith('kube-') || self.metadata.name in ['default', 'chandlery-system'])",
      ].join(' '),
      message: 'kube-*, default and chandlery-system cannot be the namespace of an environment',
    },
  ],
  spec,
  status,
};
