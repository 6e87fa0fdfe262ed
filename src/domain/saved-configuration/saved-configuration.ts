import { type Actor, EVERYBODY } from '../kubernetes/actor.ts';
import type { JsonObject } from '../kubernetes/resource.ts';

/** Whose a saved configuration is: one person's, or that of all members of a group. Names as the api-server has them. */
export type SavedConfigurationOwner = { readonly user: string } | { readonly group: string };

/** A saved configuration of an App. It holds no secret. Times are ISO 8601 in UTC. */
export interface SavedConfiguration {
  /** 128 random bits in hexadecimal digits. */
  readonly id: string;
  /** The App's id. */
  readonly app: string;
  readonly title: string;
  /** Plain text; possibly empty. */
  readonly description: string;
  /** What goes under `spec`. */
  readonly values: JsonObject;
  /** What goes beside it, laid out like the resource; absent: nothing. */
  readonly otherFields?: JsonObject;
  readonly owner: SavedConfigurationOwner;
  /** The user who saved it first; absent for one that an older version saved. */
  readonly author?: string;
  readonly created: string;
  readonly updated: string;
  /** 1 at first; one more with each change. */
  readonly version: number;
}

/** How much one owner may have. */
export interface SavedConfigurationBounds {
  readonly count: number;
  /** Of values as JSON; what saved configurations were before counts, and is forgotten first. */
  readonly characters: number;
  /** How much of it one author may have, where it is everybody's: nobody can fill up what all share. */
  readonly ofAuthor: { readonly count: number; readonly characters: number };
}

/** The saved configurations that are kept. */
export interface SavedConfigurationTable {
  get(id: string): Promise<SavedConfiguration | undefined>;
  /** Those of any of the owners, by title. */
  listOf(owners: readonly SavedConfigurationOwner[]): Promise<readonly SavedConfiguration[]>;
  /** Adds a saved configuration, unless its owner would have more than the bounds. */
  add(savedConfiguration: SavedConfiguration, bounds: SavedConfigurationBounds): Promise<'added' | 'full'>;
  /**
   * Puts a saved configuration over the one before, when that has the version and its owner stays within the bounds. The last few that were there before are kept.
   */
  replace(
    savedConfiguration: SavedConfiguration,
    expected: { readonly version: number; readonly bounds: SavedConfigurationBounds },
  ): Promise<'done' | 'stale' | 'full'>;
  /** What a saved configuration was before, the newest first. */
  earlierOf(id: string): Promise<readonly SavedConfiguration[]>;
  /** Deletes a saved configuration that has the version, and what it was before; the answer is whether it did. */
  delete(id: string, version: number): Promise<boolean>;
}

/** The entity tag of a saved configuration, quotes included. */
export function savedConfigurationEtag({ id, version }: SavedConfiguration): string {
  return `"${id}.${version}"`;
}

/** All that a saved configuration sets, laid out like the resource. */
export function contentOfSavedConfiguration({ values, otherFields = {} }: Pick<SavedConfiguration, 'values' | 'otherFields'>): JsonObject {
  return { ...otherFields, ...(Object.keys(values).length === 0 ? {} : { spec: values }) };
}

export function isSameOwner(a: SavedConfigurationOwner, b: SavedConfigurationOwner): boolean {
  if ('user' in a) return 'user' in b && a.user === b.user;
  return 'group' in b && a.group === b.group;
}

/** Whether it is for everybody who signs in. */
export function isForEverybody(owner: SavedConfigurationOwner): boolean {
  return 'group' in owner && owner.group === EVERYBODY;
}

/** Whether only an admin can let the actor change or delete it: what everybody uses is its author's to change. */
export function isOfAnotherAuthor({ owner, author }: Pick<SavedConfiguration, 'owner' | 'author'>, { user }: Pick<Actor, 'user'>): boolean {
  return isForEverybody(owner) && author !== user;
}
