import { PLAN_ACTIONS, PLAN_STATES } from '../../domain/change-request/change-request.ts';

const text = { type: 'string' } as const;
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

/** What the API says about plans that somebody asks another to carry out. */
export const PLAN_SCHEMAS = {
  PlanWish: {
    ...object(
      {
        action: { enum: PLAN_ACTIONS, description: 'By default `install`' },
        environment: text,
        app: text,
        name: text,
        spec: { ...anything, description: 'The whole `spec` to install; the JSON Merge Patch of the `spec` to change' },
        beside,
        message: { type: 'string', description: 'A word to whoever decides' },
      },
      ['environment', 'app', 'name'],
    ),
    additionalProperties: false,
  },
  PlanApproval: {
    ...object({ digest: { type: 'string', description: 'That of `GET /plans/{id}`: exactly what was looked at is written, or nothing' } }),
    additionalProperties: false,
  },
  PlanRefusal: { ...object({ word: { type: 'string', description: 'Why, for who asked' } }, []), additionalProperties: false },
  Plan: object(
    {
      id: text,
      action: { enum: PLAN_ACTIONS },
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
      state: { enum: PLAN_STATES },
      decidedBy: text,
      decidedAt: time,
      outcome: text,
    },
    ['id', 'action', 'environment', 'app', 'name', 'content', 'found', 'requester', 'message', 'created', 'expires', 'state'],
  ),
  PlanView: object(
    {
      plan: { $ref: '#/components/schemas/Plan' },
      mine: { type: 'boolean', description: 'Whether you asked for it' },
      mayDecide: { type: 'boolean', description: 'Whether you have the right that it is about' },
      preflight: { $ref: '#/components/schemas/Preflight' },
      digest: { type: 'string', description: 'Stands for exactly what the preflight shows; an approval names it' },
      moved: { type: 'boolean', description: 'Whether the instance was changed since the plan was made' },
      obstacle: { type: 'string', description: 'Why there is no preflight of an open plan' },
    },
    ['plan', 'mine', 'mayDecide', 'moved'],
  ),
} as const;
