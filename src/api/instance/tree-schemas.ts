import { HEALTH_STATUSES } from '../../domain/health/health.ts';
import { RELATION_CLASSES } from '../../domain/tree/relations.ts';
import { flag, integer, list, object, text, time } from '../schema-parts.ts';

const health = object({ status: { enum: HEALTH_STATUSES }, message: text });
const relation = {
  class: { enum: RELATION_CLASSES },
  path: { type: 'string', description: 'The field that names the other resource, such as `spec.volumes[0].configMap.name`' },
  inferred: { type: 'boolean', description: 'Whether the edge is inferred from something else than an owner reference' },
} as const;

/** The members that are always there. */
const TREE_MEMBERS = ['root', 'count', 'health', 'causes', 'addresses', 'unreadable', 'unavailable'];

/** What the API says of what runs: resource trees, logs, events. */
export const TREE_SCHEMAS = {
  TreeNode: object(
    {
      uid: text,
      resource: { ...text, description: 'Plural and group, such as `deployments.apps`' },
      apiVersion: text,
      kind: text,
      name: text,
      namespace: text,
      edge: { $ref: '#/components/schemas/TreeEdge' },
      health,
      info: text,
      created: time,
      links: { ...list({ $ref: '#/components/schemas/TreeLink' }), description: 'Further relations, at most 50' },
      children: list({ $ref: '#/components/schemas/TreeNode' }),
    },
    ['uid', 'apiVersion', 'kind', 'name', 'links', 'children'],
  ),
  TreeEdge: {
    ...object({ ...relation, fieldOf: { enum: ['Parent', 'Resource'], description: 'Which of the two has the field' } }),
    description: 'The relation to the parent; absent for the root',
  },
  TreeLink: object(
    { ...relation, group: text, kind: text, namespace: text, name: text, state: { enum: ['Found', 'Missing', 'NotRead'] } },
    ['class', 'path', 'inferred', 'group', 'kind', 'name', 'state'],
  ),
  Cause: {
    ...object(
      {
        message: { ...text, description: 'One sentence that names the cause' },
        since: time,
        chain: {
          ...list(
            object({ apiVersion: text, kind: text, name: text, message: text, since: time }, ['apiVersion', 'kind', 'name', 'message']),
          ),
          description: 'From the cause to what it holds back, the instance last',
        },
        container: {
          ...object({ pod: text, name: text, previous: flag }),
          description: 'The container that crashed; `previous`: its last run is over, and another one has begun',
        },
        log: { ...object({ time, text }), description: 'The last line that this container has written, if you may read it' },
      },
      ['message', 'chain'],
    ),
    description: 'Why the tree is not well, or what to look at although it is; absent where nothing is known to be wrong',
  },
  ResourceTree: object(
    {
      root: { $ref: '#/components/schemas/TreeNode' },
      count: { ...integer, description: 'Of the whole tree, whatever the filter' },
      matched: { ...integer, description: 'Resources that match the filter; absent without one' },
      health,
      causes: list(object({ kind: text, name: text, message: text })),
      cause: { $ref: '#/components/schemas/Cause' },
      addresses: list(
        object(
          {
            kind: text,
            name: text,
            scope: { enum: ['External', 'Node', 'Cluster'], description: 'From where it is reached' },
            address: text,
            url: { ...text, description: 'Absent for what is no web address' },
            portForward: { ...text, description: 'A kubectl command that connects a port of your machine' },
          },
          ['kind', 'name', 'scope', 'address'],
        ),
      ),
      unreadable: { ...list(text), description: 'Kinds that the caller is not allowed to list in this namespace' },
      unavailable: list({ $ref: '#/components/schemas/UnavailableKind' }),
      empty: { $ref: '#/components/schemas/Emptiness', description: 'Why there is nothing but the root' },
    },
    TREE_MEMBERS,
  ),
  UnavailableKind: {
    ...object({ kind: text, apiVersion: text, message: text }),
    description: 'A kind that cannot be listed now, because a webhook or API service that the api-server calls for it does not answer',
  },
  Logs: object({
    namespace: text,
    pods: list(object({ name: text, phase: text, containers: list(object({ name: text, isInit: flag, restarts: integer })) })),
    lines: list(object({ pod: text, container: text, time, text })),
    notices: list(object({ pod: text, container: text, message: { ...text, description: 'Why the log cannot be read now' } })),
    more: { ...integer, description: 'Pods that were not read; name one in `pod`' },
  }),
  Event: object({
    type: { enum: ['Normal', 'Warning'] },
    reason: text,
    message: text,
    kind: text,
    name: text,
    count: integer,
    firstSeen: time,
    lastSeen: time,
    resolved: { ...flag, description: 'A Warning about a resource that is healthy now' },
  }),
} as const;
