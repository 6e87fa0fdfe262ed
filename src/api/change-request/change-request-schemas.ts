import { LONGEST_MESSAGE, LONGEST_REASON, REQUEST_ACTIONS, REQUEST_STATES } from '../../domain/change-request/change-request.ts';
import { anything, object, text } from '../schema-parts.ts';

const objectName = { type: 'string', maxLength: 253 } as const;
const time = { type: 'string', description: 'RFC 3339' } as const;
const beside = {
  ...anything,
  description: 'What goes beside the `spec`, laid out like the resource; of a change, the JSON Merge Patch of it',
} as const;
const texts = { type: 'array', items: text } as const;

/** Schemas of change requests. */
export const CHANGE_REQUEST_SCHEMAS = {
  ChangeRequestDraft: {
    ...object(
      {
        action: { enum: REQUEST_ACTIONS, description: 'Default: `install`' },
        environment: objectName,
        app: objectName,
        name: objectName,
        spec: { ...anything, description: 'The whole `spec` to install, or the JSON Merge Patch of the `spec` to change' },
        beside,
        message: { type: 'string', maxLength: LONGEST_MESSAGE, description: 'Message to the approver' },
      },
      ['environment', 'app', 'name'],
    ),
    additionalProperties: false,
  },
  ChangeRequestApproval: {
    ...object({
      digest: { type: 'string', description: 'The `digest` of `GET /change-requests/{id}`. If it no longer matches, nothing is written' },
    }),
    additionalProperties: false,
  },
  DeclineRequest: {
    ...object({ reason: { type: 'string', maxLength: LONGEST_REASON, description: 'The message to the requester' } }, []),
    additionalProperties: false,
  },
  ChangeRequest: object(
    {
      id: text,
      action: { enum: REQUEST_ACTIONS },
      environment: text,
      app: text,
      name: text,
      content: { ...anything, description: 'The `spec` to install, or the JSON Merge Patch of it to change' },
      beside,
      preflightSummary: {
        ...object({ verdict: { enum: ['Ready', 'Blocked'] }, blocked: texts, warned: texts }),
        description: 'The preflight result of the requester',
      },
      requester: object({ user: text, groups: texts }),
      message: text,
      created: time,
      expires: time,
      state: { enum: REQUEST_STATES },
      decidedBy: text,
      decidedAt: time,
      decisionMessage: text,
    },
    ['id', 'action', 'environment', 'app', 'name', 'content', 'preflightSummary', 'requester', 'message', 'created', 'expires', 'state'],
  ),
  ChangeRequestView: object(
    {
      changeRequest: { $ref: '#/components/schemas/ChangeRequest' },
      mine: { type: 'boolean', description: 'Whether you are the requester' },
      mayDecide: { type: 'boolean', description: 'Whether you have the permission to approve or decline it' },
      preflight: { $ref: '#/components/schemas/Preflight' },
      digest: { type: 'string', description: 'The digest of the previewed change, for the approval' },
      instanceChanged: { type: 'boolean', description: 'Whether the instance has changed since the request was created' },
      preflightError: { type: 'string', description: 'Why the preflight of an open request cannot run' },
    },
    ['changeRequest', 'mine', 'mayDecide', 'instanceChanged'],
  ),
} as const;
