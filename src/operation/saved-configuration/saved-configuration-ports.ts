import type { RecipeTable } from '../../domain/saved-configuration/saved-configuration.ts';

/** What recipes need of the world. */
export interface RecipePorts {
  readonly table: RecipeTable;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
