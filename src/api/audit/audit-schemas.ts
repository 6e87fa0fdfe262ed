import { AUDIT_OUTCOMES } from '../../domain/audit/audit-log.ts';
import type { JsonSchema } from '../route.ts';
import { text } from '../schema-parts.ts';

/** Schemas of the audit log. */
export const AUDIT_SCHEMAS = {
  AuditLogEntry: {
    type: 'object',
    properties: {
      id: { type: 'integer', description: 'Later entries have larger ids' },
      time: { type: 'string', format: 'date-time' },
      user: text,
      groups: { type: 'array', items: text },
      action: { ...text, examples: ['create instance'] },
      environment: { ...text, description: 'Empty outside of environments' },
      target: { ...text, examples: ['team-a/caches.samples.chandlery.dev/orders'] },
      outcome: { enum: [...AUDIT_OUTCOMES] },
      code: { ...text, description: 'The code of the error; empty on success' },
      via: { enum: ['page', 'api'] },
      requestId: text,
    },
    required: ['id', 'time', 'user', 'groups', 'action', 'environment', 'target', 'outcome', 'code', 'via', 'requestId'],
  },
} as const satisfies Record<string, JsonSchema>;
