import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { FormModel } from '../model/form-node.ts';
import { fieldName } from './form-fields.ts';
import { contentOf, unitOf, unitsOf } from './form-units.ts';
import { valuesToFields } from './values-to-fields.ts';

/** One preset that takes the place of another; absent: none. Values of the root, without its key. */
export interface PresetSwitch {
  readonly from?: JsonObject;
  readonly to?: JsonObject;
}

/**
 * Fills the fields that nobody has touched with the values of a preset. Those that still hold what the preset before gave them count as untouched. A list, a map
 * and one of several shapes are touched or not as a whole. A form that is written as YAML stays as it is.
 */
export function applyPreset(model: FormModel, fields: URLSearchParams, { from = {}, to = {} }: PresetSwitch): URLSearchParams {
  if (fields.has(fieldName('yaml', model.root.path))) return fields;
  const typed = unitsOf(model, fields);
  const before = unitsOf(model, valuesToFields(model, from));
  const after = unitsOf(model, valuesToFields(model, to));
  const free = new Set<string>();
  for (const unit of new Set([...before.keys(), ...after.keys()])) {
    const text = contentOf(typed.get(unit));
    if (text === '' || text === contentOf(before.get(unit))) free.add(unit);
  }
  const kept = [...fields].filter(([name]) => !free.has(unitOf(model, name) ?? ''));
  const filled = [...free].flatMap((unit) => after.get(unit) ?? []);
  return new URLSearchParams([...kept, ...filled].map(([name, value]): [string, string] => [name, value]));
}
