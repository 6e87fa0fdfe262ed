import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Asking } from '../../domain/audit/audit-log.ts';
import type { Recipe } from '../../domain/saved-configuration/saved-configuration.ts';
import type { RecipeComparison, RecipeInstance } from '../../operation/saved-configuration/compare-saved-configuration.ts';
import type { RecipeQuery } from '../../operation/saved-configuration/list-saved-configurations.ts';
import type { RecipeChange, RecipeDraft, SavedRecipe } from '../../operation/saved-configuration/save-configuration.ts';

export type { RecipeInstance };

/** What pages need of saved configurations; those of the actor and of their groups, to everybody else there are none. */
export interface RecipeOperations {
  /** By title. */
  listRecipes(actor: Actor, query: RecipeQuery): Promise<readonly Recipe[]>;
  showRecipe(actor: Actor, id: string): Promise<Recipe>;
  /** What it was before its last changes, the newest first. */
  listEarlierRecipes(actor: Actor, id: string): Promise<readonly Recipe[]>;
  /** With today's defaults, or with a live Instance. */
  compareRecipe(actor: Actor, input: { readonly id: string; readonly instance?: RecipeInstance }): Promise<RecipeComparison>;
  /** The Instances of an App that the actor may read. */
  listRecipeInstances(actor: Actor, app: string): Promise<readonly RecipeInstance[]>;
  saveRecipe(actor: Actor, draft: RecipeDraft): Promise<SavedRecipe>;
  /** `Conflict` when it is not of the version any more. */
  changeRecipe(actor: Actor, change: RecipeChange): Promise<SavedRecipe>;
  deleteRecipe(actor: Actor, input: Pick<RecipeChange, 'id' | 'version'> & Asking): Promise<void>;
}
