import { objectAt } from '../../domain/core/read.ts';
import { BOARD_TRACKS } from '../../domain/environment/deploy-board.ts';
import { ROLLOUT_STATES } from '../../domain/workload/rollout.ts';
import { MANAGERS } from '../../domain/tree/resource-manager.ts';
import { WORKLOAD_SCHEMAS } from '../instance/workload-schemas.ts';
import { flag, integer, list, object, ref, text } from '../schema-parts.ts';

const { Workload } = WORKLOAD_SCHEMAS;
const required = Workload['required'] as readonly string[];

/** What the API says of boards. */
export const BOARD_SCHEMAS = {
  BoardWorkload: object(
    {
      ...objectAt(Workload, 'properties'),
      resource: { ...text, description: 'Plural and group', examples: ['deployments.apps'] },
      deleting: flag,
      cause: { ...text, description: 'One sentence that names why it is not well' },
      owner: { ...object({ apiVersion: text, kind: text, name: text }), description: 'What stands at the top of its owner references' },
      instance: { ...object({ app: text, name: text }), description: 'The instance at the top of its owners' },
      managedBy: object({ tool: { enum: MANAGERS }, name: text, namespace: text }, ['tool', 'name']),
    },
    [...required, 'resource', 'deleting'],
  ),
  TierColumn: object(
    {
      name: text,
      displayName: text,
      namespace: text,
      tier: text,
      ready: flag,
      message: text,
      instances: integer,
      workloads: { ...integer, description: 'Workloads that belong to no instance' },
      health: { ...ref('Health'), description: 'The worst of its apps; absent when none reports one' },
      missing: { ...list(ref('MissingPermission')), description: 'What you may not list there; such apps are not on the board' },
      unavailable: list(ref('UnavailableKind')),
    },
    ['name', 'displayName', 'namespace', 'tier', 'ready', 'message', 'instances', 'workloads', 'missing', 'unavailable'],
  ),
  TierRow: object({
    key: text,
    app: { ...text, description: 'The id of the App of an instance; empty for workloads' },
    appName: text,
    name: { ...text, description: 'The name of the instance, or of the app that labels of workloads name' },
    cells: list(ref('TierCell')),
  }),
  TierCell: object(
    {
      environment: text,
      app: text,
      appName: text,
      name: text,
      version: text,
      canaryVersion: { ...text, description: 'Empty when there is no canary' },
      health: ref('Health'),
      rollout: {
        ...object({ state: { enum: ROLLOUT_STATES }, percentage: integer }),
        description: 'Of the least advanced workload; absent without workloads',
      },
      drift: {
        ...object({ from: text, fields: list(text) }),
        description: 'The environment of the tier before, and what differs from it; absent when no earlier tier has the app',
      },
      lock: {
        ...object({ kind: { enum: ['Deleting', 'ChangeRequest', 'Suspended'] }, changeRequest: text }, ['kind']),
        description: 'Why a change should wait',
      },
      workloads: list(object({ kind: text, resource: text, name: text, version: text, track: { enum: BOARD_TRACKS } })),
    },
    ['environment', 'app', 'appName', 'name', 'version', 'canaryVersion', 'workloads'],
  ),
} as const;
