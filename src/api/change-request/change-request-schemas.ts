import { LONGEST_MESSAGE, LONGEST_REASON, REQUEST_ACTIONS, REQUEST_STATES } from '../../domain/change-request/change-request.ts';

const text = { type: 'string' } as const;
const objectName = { type: 'string', maxLength: 253 } as const;
const time = { type: 'string', description: 'RFC 3339' } as const;
const anything = { type: 'object', additionalProperties: true } as const;
const beside = {
  ...anything,
  description: 'What goes beside the `spec`, laid out like the resource; of a change, the JSON Merge Patch of it',
} as const;
const texts = { type: 'array', items: text } as const;

function object(properties: Readonly<Record<string, unknown>>, required: readonly string[] = Object.keys(properties)) {
  return { type: 'object', properties, required };
}

/** What the API says about change requests that somebody asks another to carry out. */
export const CHANGE_REQUEST_SCHEMAS = {
  ChangeRequestWish: {
    ...object(
      {
        action: { enum: REQUEST_ACTIONS, description: 'By default `install`' },
        environment: objectName,
        app: objectName,
        name: objectName,
        spec: { ...anything, description: 'The whole `spec` to install; the JSON Merge Patch of the `spec` to change' },
        beside,
        message: { type: 'string', maxLength: LONGEST_MESSAGE, description: 'Message to the approver' },
      },
      ['environment', 'app', 'name'],
    ),
    additionalProperties: false,
  },
  ChangeRequestApproval: {
    ...object({
      digest: { type: 'string', description: 'That of `GET /change-requests/{id}`: exactly what was looked at is written, or nothing' },
    }),
    additionalProperties: false,
  },
  DeclineRequest: {
    ...object({ reason: { type: 'string', maxLength: LONGEST_REASON, description: 'Why, for the person who asked' } }, []),
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
      found: {
        ...object({ verdict: { enum: ['Ready', 'Blocked'] }, blocked: texts, warned: texts }),
        description: 'What the preflight told the person who asks',
      },
      requester: object({ user: text, groups: texts }),
      message: text,
      created: time,
      expires: time,
      state: { enum: REQUEST_STATES },
      decidedBy: text,
      decidedAt: time,
      outcome: text,
    },
    ['id', 'action', 'environment', 'app', 'name', 'content', 'found', 'requester', 'message', 'created', 'expires', 'state'],
  ),
  ChangeRequestView: object(
    {
      changeRequest: { $ref: '#/components/schemas/ChangeRequest' },
      mine: { type: 'boolean', description: 'Whether you asked for it' },
      mayDecide: { type: 'boolean', description: 'Whether you have the permission that it is about' },
      preflight: { $ref: '#/components/schemas/Preflight' },
      digest: { type: 'string', description: 'Stands for exactly what the preflight shows; an approval names it' },
      moved: { type: 'boolean', description: 'Whether the instance was changed since the change request was made' },
      obstacle: { type: 'string', description: 'Why there is no preflight of an open change request' },
    },
    ['changeRequest', 'mine', 'mayDecide', 'moved'],
  ),
} as const;
