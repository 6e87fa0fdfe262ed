import { isSameOwner, type Recipe, type RecipeTable } from '../domain/recipe.ts';

/** The part of a file that recipes are in. */
export interface RecipeData {
  readonly recipes: Record<string, Recipe>;
}

interface RecipeFile {
  readonly data: RecipeData;
  write(): Promise<void>;
}

/** The recipes of one machine. */
export function recipesOf(low: RecipeFile): RecipeTable {
  const find = (id: string): Recipe | undefined => (Object.hasOwn(low.data.recipes, id) ? low.data.recipes[id] : undefined);
  const all = (): Recipe[] => Object.values(low.data.recipes);
  return {
    get: async (id) => structuredClone(find(id)),
    listOf: async (owners) => {
      const theirs = all().filter(({ owner }) => owners.some((one) => isSameOwner(one, owner)));
      return structuredClone(theirs.sort((a, b) => a.title.localeCompare(b.title) || a.id.localeCompare(b.id)));
    },
    add: async (recipe, bound) => {
      if (all().filter(({ owner }) => isSameOwner(owner, recipe.owner)).length >= bound) return 'full';
      low.data.recipes[recipe.id] = structuredClone(recipe);
      await low.write();
      return 'added';
    },
    replace: async (recipe, version) => {
      if (find(recipe.id)?.version !== version) return false;
      low.data.recipes[recipe.id] = structuredClone(recipe);
      await low.write();
      return true;
    },
    delete: async (id, version) => {
      if (find(id)?.version !== version) return false;
      delete low.data.recipes[id];
      await low.write();
      return true;
    },
  };
}
