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

/** A request by annotation, such as `test-at`. Whoever writes the annotation chooses its text, so that nothing but a time is taken from it. */
export function requestChange(uid: string | undefined, request: string, value: string): string {
  return `${uid ?? ''}.${request}.${TIME.test(value) ? value : 'other'}`;
}

/** RFC 3339 in UTC. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

export function deletionChange({ metadata: { uid = '' } }: Pick<KubeObject, 'metadata'>): string {
  return `${uid}.deletion`;
}
