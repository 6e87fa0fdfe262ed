import { HEALTH_STATUSES } from '../../domain/health/health.ts';
import { RESOURCE_HEALTHS } from '../../domain/environment/environment-resources.ts';
import { MANAGERS } from '../../domain/tree/resource-manager.ts';
import { integer, object, text } from '../schema-parts.ts';

/** What the API says of the resources of an environment. */
export const ENVIRONMENT_RESOURCE_SCHEMAS = {
  EnvironmentResource: object(
    {
      resource: { ...text, description: 'Plural and group', examples: ['deployments.apps'] },
      apiVersion: text,
      kind: text,
      name: text,
      created: text,
      deleting: { type: 'boolean' },
      health: {
        ...object({ status: { enum: HEALTH_STATUSES }, message: text }),
        description: 'Absent when the kind has no rule and the resource no conditions',
      },
      info: text,
      owner: { ...object({ apiVersion: text, kind: text, name: text }), description: 'What stands at the top of its owner references' },
      instance: { ...object({ app: text, name: text }), description: 'The instance that it is, or that stands at the top of its owners' },
      managedBy: {
        ...object({ tool: { enum: MANAGERS }, name: text, namespace: text }, ['tool', 'name']),
        description: 'By the labels and annotations of Flux, Argo CD, Helm, GitLab and Chandlery; else the first field manager',
      },
    },
    ['resource', 'apiVersion', 'kind', 'name', 'created', 'deleting', 'info'],
  ),
  ResourceCount: object({
    resource: text,
    kind: text,
    count: integer,
    health: object(Object.fromEntries(RESOURCE_HEALTHS.map((word) => [word, integer])), []),
  }),
} as const;
