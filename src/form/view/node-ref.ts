import { at } from '../../domain/core/read.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import type { FormPath } from '../../schema/form-path.ts';
import { fieldName, type FieldMap } from '../input/form-fields.ts';

/** A place in the form and the place in the live object that it came from. */
export interface NodeRef {
  readonly path: FormPath;
  readonly base: Json | undefined;
  readonly basePath: FormPath;
}

/** The place of a group's member. */
export function memberRef({ path, base, basePath }: NodeRef, key: string): NodeRef {
  return { path: [...path, key], base: at(base, key) as Json | undefined, basePath: [...basePath, key] };
}

/** The place of a row, and the live row that it came from: rows move, and a map's keys are renamed. */
export function rowRef(fields: FieldMap, { path, base, basePath }: NodeRef, row: number): NodeRef {
  const here = [...path, row];
  const origin = fields.get(fieldName('original', here));
  if (origin === undefined) return { path: here, base: undefined, basePath: [...basePath, row] };
  const step = Array.isArray(base) ? Number(origin) : origin;
  return { path: here, base: at(base, step) as Json | undefined, basePath: [...basePath, step] };
}
