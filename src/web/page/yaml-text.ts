import { stringify } from 'yaml';

/** An object as YAML for people: no anchors, no folded lines. */
export function yamlText(object: unknown): string {
  return stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 });
}
