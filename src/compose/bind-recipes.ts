import { compareRecipe, listRecipeInstances } from '../operation/saved-configuration/compare-saved-configuration.ts';
import { listEarlierRecipes, listRecipes, showRecipe } from '../operation/saved-configuration/list-saved-configurations.ts';
import type { Ports } from '../operation/ports.ts';
import { changeRecipe, deleteRecipe, saveRecipe } from '../operation/saved-configuration/save-configuration.ts';
import type { RecipeOperations } from '../web/saved-configuration/saved-configuration-port.ts';

/** The operations on saved configurations, with their ports given. */
export function bindRecipes(ports: Ports): RecipeOperations {
  return {
    listRecipes: (actor, query) => listRecipes(ports, actor, query),
    showRecipe: (actor, id) => showRecipe(ports, actor, id),
    listEarlierRecipes: (actor, id) => listEarlierRecipes(ports, actor, id),
    compareRecipe: (actor, input) => compareRecipe(ports, actor, input),
    listRecipeInstances: (actor, app) => listRecipeInstances(ports, actor, app),
    saveRecipe: (actor, draft) => saveRecipe(ports, actor, draft),
    changeRecipe: (actor, change) => changeRecipe(ports, actor, change),
    deleteRecipe: (actor, input) => deleteRecipe(ports, actor, input),
  };
}
