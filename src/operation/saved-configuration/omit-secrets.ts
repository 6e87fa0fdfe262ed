import { isObject, objectAt } from '../../domain/core/read.ts';
import { otherFieldsOf } from '../../domain/instance/instance-content.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { formatPath, type FormPath } from '../../schema/form-path.ts';
import { hasStandIn } from '../../schema/sensitive/mask.ts';
import { sensitivePaths } from '../../schema/sensitive/sensitive-values.ts';

/** Values as a saved configuration keeps them. */
export interface SavedValues {
  readonly values: JsonObject;
  readonly otherFields?: JsonObject;
  /** What was taken out because it is a secret: `spec.users[0].password`. */
  readonly omittedSecrets: readonly string[];
}

/** What a saved configuration sets, laid out like the resource, without secrets, and without what stands for secrets of a live object. */
export function omitSecrets(model: Pick<FormModel, 'root' | 'sensitive'>, content: JsonObject): SavedValues {
  const secrets = new Set(sensitivePaths(model, content));
  const omittedSecrets: string[] = [];
  const keep = (place: FormPath, value: Json | undefined): boolean => {
    const path = formatPath(place);
    const gone = secrets.has(path) || (typeof value === 'string' && hasStandIn(value));
    if (gone) omittedSecrets.push(path);
    return !gone;
  };
  const kept = without({ path: model.root.path, value: content }, keep) as JsonObject;
  const otherFields = otherFieldsOf(kept);
  return {
    values: objectAt(kept, 'spec') as JsonObject,
    ...(Object.keys(otherFields).length === 0 ? {} : { otherFields }),
    omittedSecrets,
  };
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
