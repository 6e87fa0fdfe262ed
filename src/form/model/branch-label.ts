import { isObject } from '../../domain/core/read.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import type { Branch, FormNode } from './form-node.ts';
import { humanise } from './label.ts';
import { resolveSchema, type SchemaDocument } from '../../schema/resolve-schema.ts';

const LONGEST = 60;

/** What a branch is called: its title, the constant or the required fields that mark it, else its kind. */
export function branchLabel(document: SchemaDocument, schema: Json, node: FormNode): string {
  const own = isObject(schema) && Array.isArray(schema['allOf']) ? (schema['allOf'][0] as Json) : schema;
  const title = resolveSchema(document, own, []).schema?.['title'];
  if (typeof title === 'string' && title.trim() !== '') return title.trim().slice(0, LONGEST);
  if (node.kind !== 'group') return kindLabel(node);
  const constant = node.children.find((child) => child.kind === 'enum' && child.options.length === 1);
  if (constant?.kind === 'enum') return humanise(constant.options[0]?.text ?? '').slice(0, LONGEST);
  const required = resolveSchema(document, own, []).schema?.['required'];
  const named = node.children.filter((child) => Array.isArray(required) && required.includes(child.key));
  const names = (named.length > 0 ? named : node.children).slice(0, 3).map((child) => child.label);
  return names.join(', ').slice(0, LONGEST);
}

/** The same labels, numbered where two of them are alike. */
export function distinctLabels(branches: readonly Branch[]): Branch[] {
  return branches.map((branch, index) => {
    const before = branches.slice(0, index).filter(({ label }) => label === branch.label).length;
    return before === 0 ? branch : { ...branch, label: `${branch.label} (${before + 1})` };
  });
}

function kindLabel(node: FormNode): string {
  return KIND_LABELS[node.kind] ?? 'Text';
}

const KIND_LABELS: Partial<Record<FormNode['kind'], string>> = {
  list: 'List',
  map: 'Keys and values',
  boolean: 'Yes or no',
  integer: 'Number',
  number: 'Number',
  enum: 'One of several',
  yaml: 'YAML',
};
