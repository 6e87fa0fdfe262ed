import { type Actor, EVERYBODY } from '../kubernetes/actor.ts';
import type { JsonObject } from '../kubernetes/resource.ts';

/** Whose a recipe is: one person's, or that of all members of a group. Names as the api-server has them. */
export type RecipeOwner = { readonly user: string } | { readonly group: string };

/** A saved configuration of an App. It holds no secret. Times are ISO 8601 in UTC. */
export interface Recipe {
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
  readonly beside?: JsonObject;
  readonly owner: RecipeOwner;
  /** The user who saved it first; absent for one that an older version saved. */
  readonly author?: string;
  readonly created: string;
  readonly updated: string;
  /** 1 at first; one more with each change. */
  readonly version: number;
}

/** How much one owner may have. */
export interface RecipeBounds {
  readonly count: number;
  /** Of values as JSON; what recipes were before counts, and is forgotten first. */
  readonly characters: number;
  /** How much of it one author may have, where it is everybody's: nobody can fill up what all share. */
  readonly ofAuthor: { readonly count: number; readonly characters: number };
}

/** The recipes that are kept. */
export interface RecipeTable {
  get(id: string): Promise<Recipe | undefined>;
  /** Those of any of the owners, by title. */
  listOf(owners: readonly RecipeOwner[]): Promise<readonly Recipe[]>;
  /** Adds a recipe, unless its owner would have more than the bounds. */
  add(recipe: Recipe, bounds: RecipeBounds): Promise<'added' | 'full'>;
  /**
   * Puts a recipe over the one before, when that has the version and its owner stays within the bounds. The last few that were there before are kept.
   */
  replace(recipe: Recipe, expected: { readonly version: number; readonly bounds: RecipeBounds }): Promise<'done' | 'stale' | 'full'>;
  /** What a recipe was before, the newest first. */
  earlierOf(id: string): Promise<readonly Recipe[]>;
  /** Deletes a recipe that has the version, and what it was before; the answer is whether it did. */
  delete(id: string, version: number): Promise<boolean>;
}

/** The entity tag of a recipe, quotes included. */
export function recipeEtag({ id, version }: Recipe): string {
  return `"${id}.${version}"`;
}

/** All that a recipe sets, laid out like the resource. */
export function contentOfRecipe({ values, beside = {} }: Pick<Recipe, 'values' | 'beside'>): JsonObject {
  return { ...beside, ...(Object.keys(values).length === 0 ? {} : { spec: values }) };
}

export function isSameOwner(a: RecipeOwner, b: RecipeOwner): boolean {
  if ('user' in a) return 'user' in b && a.user === b.user;
  return 'group' in b && a.group === b.group;
}

/** Whether it is for everybody who signs in. */
export function isForEverybody(owner: RecipeOwner): boolean {
  return 'group' in owner && owner.group === EVERYBODY;
}

/** Whether only an admin can let the actor change or delete it: what everybody uses is its author's to change. */
export function isOfAnotherAuthor({ owner, author }: Pick<Recipe, 'owner' | 'author'>, { user }: Pick<Actor, 'user'>): boolean {
  return isForEverybody(owner) && author !== user;
}
