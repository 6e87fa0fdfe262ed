import { isSameOwner, type Recipe, type RecipeOwner, type RecipeTable } from '../domain/recipe.ts';

/** The part of a file that recipes are in. */
export interface RecipeData {
  readonly recipes: Record<string, Recipe>;
  /** What they were before, by id, the newest first. */
  readonly earlierRecipes: Record<string, readonly Recipe[]>;
}

const MOST_EARLIER = 5;

interface RecipeFile {
  readonly data: RecipeData;
  write(): Promise<void>;
}

/** The recipes of one machine. */
export function recipesOf(low: RecipeFile): RecipeTable {
  const find = (id: string): Recipe | undefined => (Object.hasOwn(low.data.recipes, id) ? low.data.recipes[id] : undefined);
  const all = (): Recipe[] => Object.values(low.data.recipes);
  const earlier = (id: string): readonly Recipe[] =>
    Object.hasOwn(low.data.earlierRecipes, id) ? (low.data.earlierRecipes[id] ?? []) : [];
  const countOf = (owner: RecipeOwner): number => all().filter((recipe) => isSameOwner(recipe.owner, owner)).length;
  return {
    get: async (id) => structuredClone(find(id)),
    listOf: async (owners) => {
      const theirs = all().filter(({ owner }) => owners.some((one) => isSameOwner(one, owner)));
      return structuredClone(theirs.sort((a, b) => a.title.localeCompare(b.title) || a.id.localeCompare(b.id)));
    },
    add: async (recipe, bound) => {
      if (countOf(recipe.owner) >= bound) return 'full';
      low.data.recipes[recipe.id] = structuredClone(recipe);
      await low.write();
      return 'added';
    },
    replace: async (recipe, { version, bound }) => {
      const before = find(recipe.id);
      if (before?.version !== version) return 'stale';
      if (!isSameOwner(before.owner, recipe.owner) && countOf(recipe.owner) >= bound) return 'full';
      low.data.earlierRecipes[recipe.id] = [before, ...earlier(recipe.id)].slice(0, MOST_EARLIER);
      low.data.recipes[recipe.id] = structuredClone(recipe);
      await low.write();
      return 'done';
    },
    earlierOf: async (id) => structuredClone(earlier(id)),
    delete: async (id, version) => {
      if (find(id)?.version !== version) return false;
      delete low.data.recipes[id];
      delete low.data.earlierRecipes[id];
      await low.write();
      return true;
    },
  };
}
