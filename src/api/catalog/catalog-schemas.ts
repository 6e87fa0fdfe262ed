import { DRAFT_EVIDENCE } from '../../domain/catalog/draft-owner.ts';
import { FORM_KINDS } from '../../form/model/form-node.ts';
import type { JsonSchema } from '../route.ts';
import { anything, flag, integer, list, object, text } from '../schema-parts.ts';

/** Schemas of drafts. */
export const DRAFT_SCHEMAS = {
  Draft: {
    type: 'object',
    properties: {
      name: { ...text, description: 'The name of the CRD' },
      kind: text,
      group: text,
      scope: { enum: ['Namespaced', 'Cluster'] },
      versions: { type: 'array', items: text, description: 'The served versions' },
      established: { type: 'boolean' },
      created: { ...text, description: 'RFC 3339; empty when unknown' },
      origin: {
        type: 'object',
        description: 'The origin of the CRD. A release known only from labels has no namespace in its name',
        properties: { kind: { enum: ['Operator', 'HelmRelease', 'FieldManager', 'Unknown'] }, name: text },
        required: ['kind'],
      },
      operator: {
        type: 'object',
        description: 'The Operator to which the CRD probably belongs, and the evidence',
        properties: { namespace: text, name: text, evidence: { enum: DRAFT_EVIDENCE } },
        required: ['namespace', 'name', 'evidence'],
      },
      publication: {
        type: 'object',
        description: '`Claim`: the YAML is an entry for an existing Operator. `Adopt`: a complete Operator manifest without its chart',
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

const formNode = {
  key: text,
  path: { ...list(text), description: 'The path from the root; `*` means the rows of a list or map' },
  label: text,
  help: object({ summary: text, more: text }),
  required: flag,
  immutable: { type: 'boolean', description: 'Cannot be changed once it has a value' },
  nullable: flag,
  layer: { enum: ['required', 'curated', 'all'] },
  kind: { enum: FORM_KINDS, description: 'The control' },
};

/** Schemas of forms. */
export const FORM_SCHEMAS = {
  FormNode: {
    ...object(
      {
        ...formNode,
        fallback: { description: 'The default of an empty field' },
        fallbackSource: { enum: ['schema', 'chart', 'operator', 'environment'] },
        locked: { type: 'string', description: 'The owner of the lock' },
        types: list({ enum: ['string', 'integer', 'number', 'boolean'] }),
        format: text,
        strict: { type: 'boolean', description: 'Whether the schema itself requires the format of the control' },
        parts: { enum: [5, 6], description: 'The number of fields of a cron schedule, if known' },
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
            'The reference in the text: an object, or a key of the object that the sibling `of` names. `key` is the sibling that names a key of the object, `kinds` has the values of the sibling `kind`. Any text is accepted',
        },
        children: list({ $ref: '#/components/schemas/FormNode' }),
        keys: { type: 'string', description: 'The pattern of the keys of a map' },
        open: { type: 'boolean', description: 'Whether a group accepts keys that are not children' },
        item: { $ref: '#/components/schemas/FormNode' },
        value: { $ref: '#/components/schemas/FormNode' },
        branches: {
          ...list(object({ label: text, node: { $ref: '#/components/schemas/FormNode' } })),
          description: 'The branches of a choice',
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
      hoisted: {
        enum: ['spec'],
        description: 'The field whose members are at the top level of a YAML form; absent for a kind without `spec`',
      },
      reduced: { type: 'string', description: 'Why some fields have no control of their own; absent when all have one' },
      coverage: object({ leaves: integer, typed: integer, yaml: integer, freeForm: integer, unreachable: list(text) }),
    },
    ['app', 'version', 'mode', 'root', 'coverage'],
  ),
} as const;
