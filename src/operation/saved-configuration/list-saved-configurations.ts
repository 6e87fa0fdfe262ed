import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import { isSameOwner, type Recipe, type RecipeOwner } from '../../domain/saved-configuration/saved-configuration.ts';
import type { Ports } from '../ports.ts';

/** What the recipes are narrowed by; an empty text leaves all. */
export interface RecipeQuery {
  /** The App's id. */
  readonly app: string;
  /** Every word must occur in title, description or owner. */
  readonly search: string;
}

/** The recipes of the actor and of their groups, by title. */
export async function listRecipes(ports: Pick<Ports, 'recipes'>, actor: Actor, { app, search }: RecipeQuery): Promise<readonly Recipe[]> {
  const all = await ports.recipes.table.listOf(ownersFor(actor));
  const words = search.toLowerCase().split(/\s+/);
  return all.filter((recipe) => {
    const text = [recipe.title, recipe.description, ...Object.values(recipe.owner)].join(' ').toLowerCase();
    return (app === '' || recipe.app === app) && words.every((word) => text.includes(word));
  });
}

/** @throws AppError `NotFound`, in the same words whether there is none or it is somebody else's. */
export async function showRecipe(ports: Pick<Ports, 'recipes'>, actor: Actor, id: string): Promise<Recipe> {
  const recipe = await ports.recipes.table.get(id);
  if (recipe === undefined || !ownersFor(actor).some((owner) => isSameOwner(owner, recipe.owner))) {
    throw new AppError('NotFound', `saved configuration ${JSON.stringify(id)}: you and your groups have none of this id`);
  }
  return recipe;
}

/** What a recipe was before its last changes, the newest first. Throws like `showRecipe`. */
export async function listEarlierRecipes(ports: Pick<Ports, 'recipes'>, actor: Actor, id: string): Promise<readonly Recipe[]> {
  await showRecipe(ports, actor, id);
  return await ports.recipes.table.earlierOf(id);
}

/** Whose recipes the actor may read and write. */
export function ownersFor(actor: Actor): readonly RecipeOwner[] {
  return [{ user: actor.user }, ...actor.groups.map((group) => ({ group }))];
}
