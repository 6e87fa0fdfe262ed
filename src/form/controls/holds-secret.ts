import type { Json } from '../../domain/kubernetes/resource.ts';
import type { FormPath } from '../../schema/form-path.ts';
import { sensitiveValues } from '../../schema/sensitive/sensitive-values.ts';

/** Whether a value is a secret or has one somewhere below, by what its schema and the names on its way say. */
export function holdsSecret(schema: unknown, value: Json | undefined, path: FormPath): boolean {
  return value !== undefined && sensitiveValues({ schema, marks: [] }, { value, root: path }).length > 0;
}
