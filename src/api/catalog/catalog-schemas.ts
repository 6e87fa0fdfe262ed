import { DRAFT_EVIDENCE } from '../../domain/catalog/draft-owner.ts';
import { FORM_KINDS } from '../../form/model/form-node.ts';
import type { JsonSchema } from '../route.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const integer = { type: 'integer' } as const;
const anything = { type: 'object', additionalProperties: true } as const;

/** The schema of the answers about drafts. */
export const DRAFT_SCHEMAS = {
  Draft: {
    type: 'object',
    properties: {
      name: { ...text, description: 'Of the CRD' },
      kind: text,
      group: text,
      scope: { enum: ['Namespaced', 'Cluster'] },
      versions: { type: 'array', items: text, description: 'The served ones' },
      established: { type: 'boolean' },
      created: { ...text, description: 'RFC 3339; empty when unknown' },
      origin: {
        type: 'object',
        description: 'Who brought it; a release that only labels name has no namespace in its name',
        properties: { kind: { enum: ['Operator', 'HelmRelease', 'FieldManager', 'Unknown'] }, name: text },
        required: ['kind'],
      },
      operator: {
        type: 'object',
        description: 'The Operator that it probably belongs to, and why',
        properties: { namespace: text, name: text, evidence: { enum: DRAFT_EVIDENCE } },
        required: ['namespace', 'name', 'evidence'],
      },
      publication: {
        type: 'object',
        description: '`Claim`: the YAML is an entry for an existing Operator. `Adopt`: a whole Operator, whose chart has to be filled in',
        properties: {
          kind: { enum: ['Claim', 'Adopt'] },
          instructions: text,
          file: { ...text, description: 'Relative to the folder of the catalogue' },
          yaml: text,
        },
        required: ['kind', 'instructions', 'yaml'],
      },
    },
    required: ['name', 'kind', 'group', 'scope', 'versions', 'established', 'created', 'origin', 'publication'],
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

function object(properties: Readonly<Record<string, unknown>>, required: readonly string[] = Object.keys(properties)) {
  return { type: 'object', properties, required };
}

function list(items: unknown) {
  return { type: 'array', items };
}

const formNode = {
  key: text,
  path: { ...list(text), description: 'From the root; `*` stands for the rows of a list or map' },
  label: text,
  help: object({ summary: text, more: text }),
  required: flag,
  immutable: { type: 'boolean', description: 'Cannot be changed once it has a value' },
  nullable: flag,
  layer: { enum: ['required', 'curated', 'all'] },
  kind: { enum: FORM_KINDS, description: 'The control' },
};

/** What the API says of forms. */
export const FORM_SCHEMAS = {
  FormNode: {
    ...object(
      {
        ...formNode,
        fallback: { description: 'The value that an empty field gets' },
        fallbackSource: { enum: ['schema', 'chart', 'operator', 'environment'] },
        locked: { type: 'string', description: 'Who sets it for everybody' },
        types: list({ enum: ['string', 'integer', 'number', 'boolean'] }),
        format: text,
        strict: { type: 'boolean', description: 'Whether the schema itself asks for the grammar of the control' },
        parts: { enum: [5, 6], description: 'How many parts a schedule has, where that is known' },
        constraints: anything,
        options: list(object({ text, label: text, value: {} })),
        reference: {
          ...object(
            {
              to: object({ group: text, resource: text, kind: text }),
              part: { enum: ['name', 'key'] },
              of: text,
              key: text,
              kinds: anything,
            },
            ['to', 'part'],
          ),
          description:
            'What the text names: an object, or a key of the object that the member `of` beside it names; `key` is the member that names a key of it, `kinds` what the member `kind` beside it chooses from. Any text may be sent',
        },
        children: list({ $ref: '#/components/schemas/FormNode' }),
        keys: { type: 'string', description: 'The pattern of the keys of a map' },
        open: { type: 'boolean', description: 'Whether a group takes keys beyond its children' },
        item: { $ref: '#/components/schemas/FormNode' },
        value: { $ref: '#/components/schemas/FormNode' },
        branches: {
          ...list(object({ label: text, node: { $ref: '#/components/schemas/FormNode' } })),
          description: 'The shapes of a choice',
        },
        reason: { type: 'string', description: 'Why there is no typed control' },
      },
      Object.keys(formNode),
    ),
    description: 'A field, or a group, list or map of fields',
  },
  Form: object(
    {
      app: text,
      version: text,
      mode: { enum: ['create', 'edit'] },
      root: { $ref: '#/components/schemas/FormNode' },
      hoisted: { enum: ['spec'], description: 'The member whose fields stand at the top of a YAML form; absent for a kind without `spec`' },
      reduced: { type: 'string', description: 'Why not every field has a control of its own; absent where each has' },
      coverage: object({ leaves: integer, typed: integer, yaml: integer, freeForm: integer, unreachable: list(text) }),
    },
    ['app', 'version', 'mode', 'root', 'coverage'],
  ),
} as const;
