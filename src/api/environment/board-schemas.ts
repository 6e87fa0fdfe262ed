import { objectAt } from '../../domain/core/read.ts';
import { MANAGERS } from '../../domain/tree/resource-manager.ts';
import { WORKLOAD_SCHEMAS } from '../instance/workload-schemas.ts';
import { flag, object, text } from '../schema-parts.ts';

const { Workload } = WORKLOAD_SCHEMAS;
const required = Workload['required'] as readonly string[];

/** What the API says of boards. */
export const BOARD_SCHEMAS = {
  BoardWorkload: object(
    {
      ...objectAt(Workload, 'properties'),
      resource: { ...text, description: 'Plural and group', examples: ['deployments.apps'] },
      deleting: flag,
      owner: { ...object({ apiVersion: text, kind: text, name: text }), description: 'What stands at the top of its owner references' },
      instance: { ...object({ app: text, name: text }), description: 'The instance at the top of its owners' },
      managedBy: object({ tool: { enum: MANAGERS }, name: text, namespace: text }, ['tool', 'name']),
    },
    [...required, 'resource', 'deleting'],
  ),
} as const;
