import type { RecipeTable } from '../domain/recipe.ts';

/** What recipes need of the world. */
export interface RecipePorts {
  readonly table: RecipeTable;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
