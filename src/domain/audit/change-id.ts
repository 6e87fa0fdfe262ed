import type { KubeObject } from '../kubernetes/resource.ts';

/**
 * The change of a resource that gave it its generation: `<uid>.<generation>`. The api-server counts generations, so nobody else can have made this one.
 */
export function generationChange({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return `${metadata.uid ?? ''}.${metadata.generation ?? 0}`;
}

/** The same where a write has made a new generation; undefined where it left the spec as it was. */
export function changeBetween(before: KubeObject, after: KubeObject): string | undefined {
  const isNew = before.metadata.uid === after.metadata.uid && before.metadata.generation !== after.metadata.generation;
  return isNew ? generationChange(after) : undefined;
}

/** A request by annotation, such as `test-at`. */
export function requestChange(uid: string | undefined, request: string, value: string): string {
  return `${uid ?? ''}.${request}.${value}`;
}

export function deletionChange({ metadata: { uid = '' } }: Pick<KubeObject, 'metadata'>): string {
  return `${uid}.deletion`;
}
