import { PREFLIGHT_VERDICTS } from '../preflight/findings.ts';
import { AGE_COLUMN, type Kind } from '../kind/kind.ts';
import { choice, conditionsField, foreign, generation, list, object, optional, orEmpty, text, time, type ValueOf } from '../kind/field.ts';
import { CHANGE_REQUEST } from '../kubernetes/resource-types.ts';

/** Characters of the message of who asks, and of the answer of who declines. */
export const MAX_MESSAGE_LENGTH = 1_000;
export const MAX_REASON_LENGTH = 500;

/** What a status says of the whole request. Only Open and Approved are followed by another one. */
const REQUEST_PHASES = ['Open', 'Approved', 'Applied', 'Declined', 'Withdrawn', 'Expired', 'Failed'] as const;
export type RequestPhase = (typeof REQUEST_PHASES)[number];

const MAX_GROUPS = 500;

const user = text({ description: 'The user name exactly as the api-server sees it.', minLength: 1, maxLength: 512 });
const groups = orEmpty(
  list(text({ minLength: 1, maxLength: 512 }), {
    description: 'Groups of the user, exactly as the api-server sees them. An admission policy rejects any other group.',
    maxItems: MAX_GROUPS,
  }),
);
const findings = orEmpty(list(text({ maxLength: 1_000 }), { maxItems: 50 }));

const decision = object(
  {
    verdict: choice(['Approved', 'Declined', 'Withdrawn'], {
      description:
        'Approved and Declined need the verb approve on changerequests.chandlery.dev, and nobody approves their own request; Withdrawn is for the requester alone.',
    }),
    by: text({
      description: 'Your user name exactly as the api-server sees it; an admission policy rejects any other.',
      minLength: 1,
      maxLength: 512,
    }),
    groups: orEmpty(
      list(text({ minLength: 1, maxLength: 512 }), {
        description:
          'Of an approval, those of your groups with which Chandlery writes the instance on your behalf. An admission policy rejects groups that you are not in.',
        maxItems: MAX_GROUPS,
      }),
    ),
    message: orEmpty(text({ description: 'A message to the requester.', maxLength: MAX_MESSAGE_LENGTH })),
    digest: optional(
      text({
        description: 'The digest of the effect that you have reviewed. If the effect differs by then, nothing is written.',
        maxLength: 64,
      }),
    ),
    delivery: choice(['Apply', 'Proposal'], {
      description:
        'Apply: Chandlery writes the instance on your behalf. Proposal: you have proposed the change in git, and Chandlery writes nothing.',
      default: 'Apply',
    }),
  },
  { description: 'What was decided, and by whom. Set once, and immutable from then on.' },
);

const spec = object(
  {
    action: choice(['Install', 'Change'], { description: 'Install creates an instance; Change patches an existing one.' }),
    app: text({
      description: 'The app, by the name of its CustomResourceDefinition, for example caches.samples.chandlery.dev.',
      minLength: 1,
      maxLength: 253,
    }),
    name: text({
      description: 'The name of the instance.',
      maxLength: 63,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
    }),
    content: orEmpty(
      foreign({
        description:
          'The spec of the instance to install, or the JSON Merge Patch of the spec to change. Not for secrets, because everybody with access to the environment can read it.',
      }),
    ),
    otherFields: optional(
      foreign({ description: 'Fields beside the spec of the instance, laid out like the resource, or the JSON Merge Patch of them.' }),
    ),
    base: orEmpty(text({ description: 'The version of the instance that a change was made on. Absent: any.', maxLength: 253 })),
    preflight: optional(
      object(
        {
          verdict: choice(PREFLIGHT_VERDICTS, { description: 'Whether it would have worked for the requester.' }),
          blocked: findings,
          warned: findings,
        },
        { description: 'The preflight result as the requester reports it. Approvers get one of their own.' },
      ),
    ),
    message: orEmpty(text({ description: 'A message to the approver.', maxLength: MAX_MESSAGE_LENGTH })),
    requester: object(
      { user, groups },
      { description: 'Who asks. An admission policy rejects any user but the one who creates the resource.' },
    ),
    expires: optional(time({ description: 'When it expires without a decision. Default is 14 days after its creation.' })),
    decision: optional(decision),
  },
  { description: 'What is asked for. Immutable but for the decision.' },
);

const status = object(
  {
    observedGeneration: optional(generation({ description: 'The generation of the spec that this status is about.' })),
    phase: optional(
      choice(REQUEST_PHASES, {
        description:
          'Open; Approved: to be applied, or proposed in git; Applied: the instance is written; Declined; Withdrawn; Expired; Failed: approved, but the api-server rejected the instance.',
      }),
    ),
    decidedBy: optional(text({ description: 'The user who decided.' })),
    decidedAt: optional(time({ description: 'When Chandlery saw the decision.' })),
    message: optional(text({ description: 'A sentence about the outcome.' })),
    conditions: conditionsField('the request'),
  },
  { description: 'What the controller found and did. Written by the controller alone.' },
);

export type ChangeRequestSpec = ValueOf<typeof spec>;
export type ChangeRequestStatus = ValueOf<typeof status>;
export type RequestDecision = ValueOf<typeof decision>;

export const CHANGE_REQUEST_KIND: Kind<ChangeRequestSpec, ChangeRequestStatus> = {
  type: CHANGE_REQUEST,
  shortNames: ['chr'],
  description:
    'A ChangeRequest asks somebody with the permission to install or change an app in the environment of its namespace. Chandlery applies an approved one with the permissions of the approver.',
  columns: [
    { name: 'Action', type: 'string', jsonPath: '.spec.action' },
    { name: 'App', type: 'string', jsonPath: '.spec.app' },
    { name: 'Instance', type: 'string', jsonPath: '.spec.name' },
    { name: 'Requester', type: 'string', jsonPath: '.spec.requester.user' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Decided-By', type: 'string', jsonPath: '.status.decidedBy', priority: 1 },
    { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
    AGE_COLUMN,
  ],
  rules: [
    {
      rule: "self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",
      message: 'the name must be at most 63 characters without a dot',
    },
  ],
  spec,
  status,
};
