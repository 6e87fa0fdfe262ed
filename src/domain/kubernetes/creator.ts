import type { Actor } from './actor.ts';
import { OURS } from './names.ts';
import type { KubeObject } from './resource.ts';

/** As `parseActor` lets user names in; longer ones are cut for nobody. */
const USER_NAME = /^[\x20-\x7e]{1,320}$/;

/** The object with its creator recorded. Whoever may change the object may change this: it informs people and grants nothing. */
export function withCreator<T extends Pick<KubeObject, 'metadata'>>(object: T, { user }: Actor): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [OURS.createdBy]: user } } };
}

/** The recorded creator of an object; nothing where there is none, or something that is no user name. */
export function creatorOf({ metadata }: Pick<KubeObject, 'metadata'>): { readonly createdBy?: string } {
  const createdBy = recordedUser(metadata.annotations?.[OURS.createdBy]);
  return createdBy === undefined ? {} : { createdBy };
}

/** The user name in an annotation; undefined where there is none, or something that is no user name. */
export function recordedUser(value: unknown): string | undefined {
  return typeof value === 'string' && USER_NAME.test(value) ? value : undefined;
}
