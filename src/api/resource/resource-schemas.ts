import { HEALTH_STATUSES } from '../../domain/health/health.ts';
import { RESOURCE_ACTIONS } from '../../domain/resource/resource-actions.ts';
import { RELATION_DIRECTIONS } from '../../domain/tree/related-resources.ts';
import { RELATION_CLASSES } from '../../domain/tree/relations.ts';
import { ENVIRONMENT_RESOURCE_SCHEMAS } from '../environment/environment-resource-schemas.ts';
import { anything, flag, integer, list, object, text, time } from '../schema-parts.ts';

const { EnvironmentResource } = ENVIRONMENT_RESOURCE_SCHEMAS;
const permission = { $ref: '#/components/schemas/MissingPermission' } as const;

/** The resource itself, beside what a list says of it. */
const own = {
  namespace: text,
  facts: {
    ...list({ $ref: '#/components/schemas/ResourceFact' }),
    description: 'The summary of its kind; for kinds without one, the columns of `kubectl get`',
  },
  containers: list({ $ref: '#/components/schemas/ResourceContainer' }),
  conditions: list({ $ref: '#/components/schemas/Condition' }),
  events: { ...list({ $ref: '#/components/schemas/Event' }), description: 'About it and what it owns, newest first' },
  related: list({ $ref: '#/components/schemas/RelatedResource' }),
  object: { ...anything, description: 'With `<masked: path>` for each sensitive value; of a Secret, the metadata' },
  masked: { ...list(text), description: 'The paths of the masked values' },
  managers: { ...list({ $ref: '#/components/schemas/FieldManager' }), description: 'Who set which fields, newest first' },
  actions: list({ $ref: '#/components/schemas/ResourceAction' }),
  hasLogs: { ...flag, description: 'Whether `/logs` has lines of it: it is a pod, or it runs pods' },
  missing: { ...list(permission), description: 'What you may not read of its related resources' },
  unavailable: list({ $ref: '#/components/schemas/UnavailableKind' }),
  etag: { ...text, description: 'For `If-Match`' },
  specVersion: { ...text, description: 'Changes with the spec, not with the status' },
} as const;

/** What the API says of one resource of an environment. */
export const RESOURCE_SCHEMAS = {
  Resource: object(
    {
      ...(EnvironmentResource['properties'] as object),
      ...own,
      replicas: { ...integer, description: 'Of kinds that can be scaled' },
      ownerResource: { ...text, description: 'Plural and group of `owner`; absent for a cluster-scoped one' },
    },
    [...(EnvironmentResource['required'] as readonly string[]), ...Object.keys(own)],
  ),
  ResourceFact: object({ label: text, value: text, format: { enum: ['text', 'time'] } }),
  ResourceContainer: object({
    name: text,
    type: { enum: ['Container', 'InitContainer', 'EphemeralContainer'] },
    image: text,
    state: { ...text, description: '`Waiting: CrashLoopBackOff`; empty in a pod template' },
    ready: flag,
    restarts: integer,
    probes: list(text),
    requests: text,
    limits: text,
    ports: text,
  }),
  RelatedResource: object(
    {
      direction: { enum: RELATION_DIRECTIONS },
      class: { enum: RELATION_CLASSES },
      path: {
        ...text,
        description: 'The field that names the other resource; with `Owned` and `ReferencedBy`, a field of the other resource',
      },
      inferred: flag,
      group: text,
      kind: text,
      namespace: text,
      name: text,
      resource: { ...text, description: 'Plural and group, for its path; absent outside of the namespace' },
      state: { enum: ['Found', 'Missing', 'NotRead'], description: '`NotRead`: you may not read it, or it is elsewhere' },
      health: object({ status: { enum: HEALTH_STATUSES }, message: text }),
    },
    ['direction', 'class', 'path', 'inferred', 'group', 'kind', 'name', 'state'],
  ),
  FieldManager: object({
    manager: text,
    operation: text,
    subresource: text,
    apiVersion: text,
    time,
    fields: list(text),
    more: { ...integer, description: 'Further fields' },
  }),
  ResourceAction: object(
    {
      action: { enum: RESOURCE_ACTIONS },
      allowed: flag,
      missing: permission,
      effects: { ...list(text), description: 'What happens, in sentences' },
      kubectl: { ...text, description: 'The same with kubectl' },
    },
    ['action', 'allowed', 'effects', 'kubectl'],
  ),
  ResourceScale: object({ replicas: integer, etag: { ...text, description: 'Of the resource' } }),
  ResourceActionResult: object({
    resource: text,
    name: { ...text, description: 'Of `/jobs`, the new Job' },
    message: text,
    warnings: { ...list(text), description: 'Of the api-server' },
  }),
} as const;
