import { isSameOwner, type Recipe, type RecipeBounds, type RecipeOwner, type RecipeTable } from '../domain/recipe.ts';

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
  const hasRoom = (recipe: Recipe, { count, characters }: RecipeBounds): boolean => {
    const others = all().filter(({ id, owner }) => id !== recipe.id && isSameOwner(owner, recipe.owner));
    return others.length < count && sizeOf([recipe, ...others]) <= characters;
  };
  return {
    get: async (id) => structuredClone(find(id)),
    listOf: async (owners) => {
      const theirs = all().filter(({ owner }) => owners.some((one) => isSameOwner(one, owner)));
      return structuredClone(theirs.sort((a, b) => a.title.localeCompare(b.title) || a.id.localeCompare(b.id)));
    },
    add: async (recipe, bounds) => {
      if (!hasRoom(recipe, bounds)) return 'full';
      low.data.recipes[recipe.id] = structuredClone(recipe);
      forgetEarlier(low.data, recipe.owner, bounds);
      await low.write();
      return 'added';
    },
    replace: async (recipe, { version, bounds }) => {
      const before = find(recipe.id);
      if (before?.version !== version) return 'stale';
      if (!hasRoom(recipe, bounds)) return 'full';
      low.data.earlierRecipes[recipe.id] = [before, ...earlier(recipe.id)].slice(0, MOST_EARLIER);
      low.data.recipes[recipe.id] = structuredClone(recipe);
      forgetEarlier(low.data, recipe.owner, bounds);
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

function sizeOf(recipes: readonly Recipe[]): number {
  return recipes.reduce((sum, { values }) => sum + JSON.stringify(values).length, 0);
}

/** Forgets what recipes of an owner were before, the oldest first, until all of theirs is within the bounds. */
function forgetEarlier({ recipes, earlierRecipes }: RecipeData, owner: RecipeOwner, { characters }: RecipeBounds): void {
  const own = Object.values(recipes).filter((recipe) => isSameOwner(recipe.owner, owner));
  const earlier = own.flatMap(({ id }) => earlierRecipes[id] ?? []).toSorted((a, b) => b.updated.localeCompare(a.updated));
  let room = characters - sizeOf(own);
  const kept = new Set(
    earlier.filter((recipe) => {
      room -= sizeOf([recipe]);
      return room >= 0;
    }),
  );
  for (const { id } of own) {
    const left = (earlierRecipes[id] ?? []).filter((recipe) => kept.has(recipe));
    if (left.length === 0) delete earlierRecipes[id];
    else earlierRecipes[id] = left;
  }
}
