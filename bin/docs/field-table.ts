import type { StructuralSchema } from '../../src/domain/kind/structural-schema.ts';

interface Row {
  readonly path: string;
  readonly schema: StructuralSchema;
  readonly required: 'required' | 'optional';
}

/** The fields below a schema as a table in Markdown, laid out as prettier does. */
export function fieldTable(schema: StructuralSchema): string {
  const rows = rowsOf(schema, '').map((row) => [`\`${row.path}\``, typeOf(row.schema), meaningOf(row)]);
  const table = [['field', 'type', 'meaning'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** Each field, what is in a list as `list[].field` and what is in a map as `map.*.field`. */
function rowsOf({ properties = {}, required = [] }: StructuralSchema, prefix: string): Row[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const row: Row = { path, schema, required: required.includes(name) ? 'required' : 'optional' };
    return [row, ...below(schema, path)];
  });
}

function below(schema: StructuralSchema, path: string): Row[] {
  if (schema.items !== undefined) return below(schema.items, `${path}[]`);
  if (schema.additionalProperties !== undefined) return below(schema.additionalProperties, `${path}.*`);
  return rowsOf(schema, `${path}.`);
}

function typeOf(schema: StructuralSchema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema['x-kubernetes-int-or-string'] === true) return 'quantity';
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return 'free object';
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (schema.additionalProperties !== undefined) return `map of ${typeOf(schema.additionalProperties)}`;
  if (schema.format === 'date-time') return 'time';
  return schema['x-kubernetes-validations']?.some(({ rule }) => rule.startsWith('duration(')) === true ? 'duration' : (schema.type ?? '');
}

function meaningOf({ schema, required }: Row): string {
  const { description = '', default: value } = schema;
  const plain = value === undefined || typeof value === 'object' ? '' : ` Default \`${value === '' ? "''" : String(value)}\`.`;
  return `${required === 'required' ? 'Required. ' : ''}${escape(description)}${plain}`.trim();
}

/** As prettier writes a text in a table. */
function escape(text: string): string {
  return text
    .replaceAll('|', String.raw`\|`)
    .replaceAll('*', String.raw`\*`)
    .replaceAll('<', String.raw`\<`);
}
