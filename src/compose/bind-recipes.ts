import { listRecipes, showRecipe } from '../operation/list-recipes.ts';
import type { Ports } from '../operation/ports.ts';
import { deleteRecipe, saveRecipe } from '../operation/save-recipe.ts';
import type { WebOperations } from '../web/ports.ts';

/** The operations on saved configurations, with their ports given. */
export function bindRecipes(ports: Ports): Pick<WebOperations, 'listRecipes' | 'showRecipe' | 'saveRecipe' | 'deleteRecipe'> {
  return {
    listRecipes: (actor, query) => listRecipes(ports, actor, query),
    showRecipe: (actor, id) => showRecipe(ports, actor, id),
    saveRecipe: (actor, draft) => saveRecipe(ports, actor, draft),
    deleteRecipe: (actor, input) => deleteRecipe(ports, actor, input),
  };
}
