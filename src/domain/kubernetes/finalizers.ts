import { OURS } from './names.ts';
import type { KubeObject } from './resource.ts';

/** Whether Chandlery's own finalizer is on an object. */
export function hasFinalizer({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.finalizers?.includes(OURS.finalizer) === true;
}

/** The finalizers that an object has beside that of Chandlery. */
export function otherFinalizersOf({ metadata }: Pick<KubeObject, 'metadata'>): readonly string[] {
  return (metadata.finalizers ?? []).filter((finalizer) => finalizer !== OURS.finalizer);
}
