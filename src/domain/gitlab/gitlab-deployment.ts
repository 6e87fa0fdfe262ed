import { unchanged } from '../kind/structural-schema.ts';
import { AGE_COLUMN, type Kind, MESSAGE_COLUMN, READY_COLUMN, specOf } from '../kind/kind.ts';
import { choice, conditionsField, generation, list, object, optional, orEmpty, text, type ValueOf } from '../kind/field.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { GITLAB_DEPLOYMENT } from '../kubernetes/resource-types.ts';
import type { Monitoring } from '../monitoring/monitoring-field.ts';

/** An RFC 1123 label. */
const LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';

const names = (description: string) =>
  orEmpty(list(text({ minLength: 1, maxLength: 200 }), { description, maxItems: 100, merge: 'atomic' }));

const spec = object(
  {
    environment: text({
      description: 'What the environment is for, for example production: the tier of its Environment.',
      default: 'development',
      maxLength: 63,
      pattern: LABEL,
    }),
    namespace: optional(
      text({
        description: 'The namespace of the environment. Default is metadata.name. It cannot be changed later.',
        maxLength: 63,
        pattern: LABEL,
      }),
    ),
    serviceAccount: optional(
      object(
        { name: optional(text({ description: 'Its name. Default is metadata.name.', maxLength: 63, pattern: LABEL })) },
        { description: 'A service account with the role developer. Absent: none.' },
      ),
    ),
    projects: names(
      'The paths of the projects whose CI jobs have the role developer, for example my-team/project, or my-team/* for a group.',
    ),
    groups: names('The groups, as the issuer names them and without prefix, whose members have the role maintainer.'),
    maintainers: names('The users, as the issuer names them and without prefix, who have the role maintainer.'),
    reclaim: choice(['Retain', 'Delete'], {
      description: 'What happens to the namespace when the GitLabDeployment is deleted, as for an Environment.',
      default: 'Retain',
    }),
  },
  {
    description: 'The environment, and who may deploy to it.',
    rules: [
      {
        rule: unchanged('__namespace__'),
        message: 'namespace is immutable; make another GitLabDeployment',
      },
    ],
  },
);

const status = object(
  {
    observedGeneration: optional(generation({ description: 'The generation of the spec that this status is about.' })),
    environment: optional(text({ description: 'The Environment that it owns.' })),
    namespace: optional(text({ description: 'The namespace that is reserved for the environment.' })),
    conditions: conditionsField('the environment'),
  },
  { description: 'What the controller found and did. Written by the controller alone.' },
);

export const GITLAB_DEPLOYMENT_KIND: Kind<ValueOf<typeof spec>, ValueOf<typeof status>> = {
  type: GITLAB_DEPLOYMENT,
  shortNames: ['gldep'],
  description: 'A GitLabDeployment is an environment of GitLab projects and groups. Chandlery makes an Environment of it.',
  columns: [
    { name: 'Environment', type: 'string', jsonPath: '.spec.environment' },
    { name: 'Namespace', type: 'string', jsonPath: '.status.namespace' },
    READY_COLUMN,
    { ...MESSAGE_COLUMN, priority: 1 },
    AGE_COLUMN,
  ],
  spec,
  status,
};

/** What stands before the names of the issuer, as the api-server sees them. */
export interface NamePrefixes {
  readonly usernamePrefix: string;
  readonly groupsPrefix: string;
}

/** The spec of the Environment of a GitLabDeployment. Throws as `specOf`. */
export function environmentSpecOf(deployment: KubeObject, { usernamePrefix, groupsPrefix }: NamePrefixes, monitoring?: Monitoring): object {
  const { name } = deployment.metadata;
  const fields = specOf(GITLAB_DEPLOYMENT_KIND, deployment);
  const { environment, namespace = name, serviceAccount, projects, groups, maintainers, reclaim } = fields;
  return {
    namespace,
    tier: environment,
    groups: once(groups).map((group) => ({ name: `${groupsPrefix}${group}`, role: 'maintainer' })),
    subjects: once(maintainers).map((user) => ({ kind: 'User', name: `${usernamePrefix}${user}`, role: 'maintainer' })),
    projects: once(projects).map((project) => ({ name: project, role: 'developer' })),
    serviceAccounts: serviceAccount === undefined ? [] : [{ name: serviceAccount.name ?? name, role: 'developer' }],
    maintainerServiceAccounts: true,
    ...(monitoring === undefined ? {} : { monitoring }),
    reclaim,
  };
}

function once(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
