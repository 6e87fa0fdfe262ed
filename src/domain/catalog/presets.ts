import { contentOf } from '../instance/instance-content.ts';
import { isObject, listAt, objectAt, textAt } from '../core/read.ts';
import type { JsonObject } from '../kubernetes/resource.ts';

/** Values that belong together, which the catalogue offers for the form of an App. */
export interface Preset {
  /** A DNS label, unique among those of the App. */
  readonly name: string;
  readonly title: string;
  /** A sentence; empty when there is none. */
  readonly summary: string;
  /** Laid out like the resource: `{spec: {…}}`. */
  readonly values: JsonObject;
}

/** Reads `presets` of a kind in the `catalog` block as its schema has accepted it. */
export function parsePresets(kindBlock: unknown): Preset[] {
  return listAt(kindBlock, 'presets').flatMap((item) => {
    const name = textAt(item, 'name');
    if (name === undefined || !isObject(item)) return [];
    return [
      {
        name,
        title: textAt(item, 'title') ?? name,
        summary: textAt(item, 'summary') ?? '',
        values: objectAt(item, 'values') as JsonObject,
      },
    ];
  });
}

/** What a preset sets of an Instance; see `contentOf`. */
export function presetContent({ values }: Pick<Preset, 'values'>): JsonObject {
  return contentOf(values);
}
