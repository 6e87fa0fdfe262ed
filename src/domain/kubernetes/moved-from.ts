import { OURS } from './names.ts';
import type { KubeObject } from './resource.ts';

/** The former name of an object that was renamed; undefined for all others. */
export function formerNameOf({ metadata: { name, annotations = {} } }: Pick<KubeObject, 'metadata'>): string | undefined {
  const former = annotations[OURS.movedFrom];
  return former === '' || former === name ? undefined : former;
}

/** Whether an object takes over from the one of its former name. */
export function isSuccessorOf(object: Pick<KubeObject, 'metadata'>, name: string): boolean {
  return object.metadata.deletionTimestamp === undefined && formerNameOf(object) === name;
}

/** The names of those that have to do with a renamed one: what it was called, and what is called by another name now. */
export function renamedWith(objects: readonly KubeObject[], name: string): string[] {
  return objects.flatMap((object) => {
    const former = formerNameOf(object);
    if (former === undefined) return [];
    if (object.metadata.name === name) return [former];
    return former === name ? [object.metadata.name] : [];
  });
}
