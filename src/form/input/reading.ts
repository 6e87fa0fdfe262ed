import type { FieldFault } from '../../domain/core/errors.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { isTop, type FormModel, type FormNode } from '../model/form-node.ts';
import { formatPath, type FormPath } from '../../schema/form-path.ts';
import { readYaml, type YamlRead } from '../../schema/yaml-text.ts';
import type { FormBudget } from './form-budget.ts';
import { fieldName, type FieldPart, type FieldMap } from './form-fields.ts';
import type { NodeRef } from '../view/node-ref.ts';

/** A form that is being read. */
export interface Reading {
  readonly model: FormModel;
  readonly fields: FieldMap;
  /** The live value of the root. */
  readonly base: Json | undefined;
  /** The live value as it is, where stand-ins are in the base: it alone tells the shape of a choice, as a stand-in may fit another. */
  readonly live?: Json;
  readonly faults: FieldFault[];
  /** Gives texts that cannot be read as texts, so that nothing is lost where the form becomes YAML. */
  readonly lenient?: true;
  /** What reading may still cost. */
  readonly budget: FormBudget;
  /** Inputs met so far: a group none of whose inputs was sent was not shown. */
  seen: number;
  /** Characters of YAML that may still be read. */
  yamlLeft: number;
  /** Reads any node; handed in so that the readers of groups and rows need not know each other. */
  readonly read: (reading: Reading, node: FormNode, ref: NodeRef) => Json | undefined;
}

/** Parsing YAML takes about a second for half a megabyte: all YAML fields of a form together may have this many characters. */
export const MAX_YAML_LENGTH = 512 * 1024;

/** Reads the text of a YAML field. Beyond what a form may have of it, it is a fault. */
export function readYamlText(reading: Reading, text: string): YamlRead {
  reading.yamlLeft -= text.length;
  if (reading.yamlLeft >= 0) return readYaml(text);
  const limit = `${MAX_YAML_LENGTH / 1024} KiB`;
  return { fault: `All YAML of this form together is longer than ${limit}; shorten it, or use the REST API`, line: 1, column: 1 };
}

/** The text of an input; undefined when it was not sent. */
export function take(reading: Reading, part: FieldPart, path: FormPath): string | undefined {
  const text = reading.fields.get(fieldName(part, path));
  if (text !== undefined) reading.seen += 1;
  return text;
}

export function fault(reading: Reading, path: FormPath, message: string, place?: { readonly line: number; readonly column: number }): void {
  reading.faults.push({ field: formatPath(path), message, ...(place === undefined ? {} : { line: place.line, column: place.column }) });
}

/** What an empty list, map or group stands for: itself, `null`, or nothing. */
export function emptyValue(reading: Reading, path: FormPath, empty: Json): Json | undefined {
  const kept = take(reading, 'state', path);
  if (kept === 'null') return null;
  return kept === 'empty' ? empty : undefined;
}

/** Whether the place is a row of a list or map, or the root: there even an empty object is a value. */
export function standsAlone({ model }: Pick<Reading, 'model'>, path: FormPath): boolean {
  return isTop(model, path) || typeof path.at(-1) === 'number';
}
