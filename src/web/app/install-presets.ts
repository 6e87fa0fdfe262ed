import { contentOf } from '../../domain/instance/instance-content.ts';
import type { Preset } from '../../domain/operator/kind/catalog-fields.ts';
import { isSame } from '../../domain/core/merge-patch.ts';
import { at } from '../../domain/core/read.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { parsePath } from '../../schema/form-path.ts';
import { applyPreset } from '../../form/input/apply-preset.ts';
import type { ShownPreset } from '../../form/view/form-view.ts';
import type { PresetValues } from '../page/value-changes-view.ts';

/** A view of `parts/presets`. */
export interface PresetsView {
  /** The name of the one that is chosen; empty: none. */
  readonly preset: string;
  readonly presets: readonly { readonly name: string; readonly title: string; readonly summary: string; readonly chosen: boolean }[];
}

/** The input that carries which preset was chosen last. */
const CHOSEN = 'preset';

/** The preset that a button asks for: empty to take it away; undefined for other buttons. */
export function pressedPreset(op: string): string | undefined {
  return op.startsWith('preset:') ? op.slice('preset:'.length) : undefined;
}

/** The form with another preset, remembered in it. A name that the App does not know changes nothing. */
export function switchPreset(
  model: FormModel,
  presets: readonly Preset[],
  input: { fields: URLSearchParams; wanted: string },
): URLSearchParams {
  const { fields, wanted } = input;
  const [from, to] = [chosenPreset(presets, fields), presets.find(({ name }) => name === wanted)];
  if (to === undefined && wanted !== '') return fields;
  const filled = applyPreset(model, fields, {
    ...(from === undefined ? {} : { from: contentOf(from.values) }),
    ...(to === undefined ? {} : { to: contentOf(to.values) }),
  });
  const changed = new URLSearchParams(filled);
  changed.delete(CHOSEN);
  if (to !== undefined) changed.set(CHOSEN, to.name);
  return changed;
}

/** The preset that was chosen last. */
function chosenPreset(presets: readonly Preset[], fields: URLSearchParams): Preset | undefined {
  return presets.find(({ name }) => name === fields.get(CHOSEN));
}

export function presetsView(presets: readonly Preset[], fields: URLSearchParams): PresetsView {
  const chosen = chosenPreset(presets, fields);
  return {
    preset: chosen?.name ?? '',
    presets: presets.map(({ name, title, summary }) => ({ name, title, summary, chosen: name === chosen?.name })),
  };
}

/** Which values of a new instance are those of the chosen preset; a list counts whole. */
export function presetValues(presets: readonly Preset[], fields: URLSearchParams, object: unknown): PresetValues | undefined {
  const chosen = chosenPreset(presets, fields);
  if (chosen === undefined) return undefined;
  const theirs = contentOf(chosen.values);
  return {
    title: chosen.title,
    holds: (path) => {
      const [whole = ''] = UP_TO_ROWS.exec(path) ?? [];
      const names = (parsePath(whole) ?? []).map(String);
      const value = at(theirs, ...names);
      return names.length > 0 && value !== undefined && isSame(value, at(object, ...names));
    },
  };
}

/** Of `spec.users[name=anna].login` what stands before the first row; keys in quotes belong to it. */
const UP_TO_ROWS = /^(?:[^[]|\["(?:[^"\\]|\\.)*"\])*/;

/** The chosen preset as the form marks what it set. */
export function shownPreset(presets: readonly Preset[], fields: URLSearchParams): { preset?: ShownPreset } {
  const chosen = chosenPreset(presets, fields);
  return chosen === undefined ? {} : { preset: { title: chosen.title, values: contentOf(chosen.values) } };
}
