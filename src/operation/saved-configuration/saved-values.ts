import { AppError } from '../../domain/core/errors.ts';
import { isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { formatPath, type FormPath } from '../../schema/form-path.ts';
import { sensitivePaths } from '../../schema/sensitive/sensitive-values.ts';
import { hasStandIn } from '../../schema/sensitive/stand-in.ts';

const LARGEST = 256 * 1024;

/** Values as a recipe keeps them. */
export interface RecipeValues {
  readonly values: JsonObject;
  /** What was taken out because it is a secret: `spec.users[0].password`. */
  readonly stripped: readonly string[];
}

/**
 * The values without their secrets, and without what stands for secrets of a live object.
 *
 * @throws AppError `TooLarge` beyond 256 KiB.
 */
export function recipeValues(model: Pick<FormModel, 'root' | 'sensitive'>, spec: JsonObject): RecipeValues {
  const secrets = new Set(sensitivePaths(model, spec));
  const stripped: string[] = [];
  const keep = (place: FormPath, value: Json | undefined): boolean => {
    const path = formatPath(place);
    const gone = secrets.has(path) || (typeof value === 'string' && hasStandIn(value));
    if (gone) stripped.push(path);
    return !gone;
  };
  const values = without({ path: [model.root.key], value: spec }, keep) as JsonObject;
  if (JSON.stringify(values).length > LARGEST) {
    throw new AppError('TooLarge', `saved configuration: it is larger than ${LARGEST / 1024} KiB; save less of it`);
  }
  return { values, stripped };
}

function without({ path, value }: { readonly path: FormPath; readonly value: Json }, keep: (path: FormPath, value: Json) => boolean): Json {
  if (Array.isArray(value)) {
    const rows = (value as readonly Json[]).map((item, index) => ({ path: [...path, index], value: item }));
    return rows.filter((row) => keep(row.path, row.value)).map((row) => without(row, keep));
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => ({ key, path: [...path, key], value: member as Json }));
  return Object.fromEntries(members.filter((part) => keep(part.path, part.value)).map((part) => [part.key, without(part, keep)]));
}
