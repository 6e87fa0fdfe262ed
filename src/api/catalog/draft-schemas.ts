import { DRAFT_EVIDENCE } from '../../domain/catalog/draft-owner.ts';
import type { JsonSchema } from '../route.ts';

const text = { type: 'string' } as const;

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
