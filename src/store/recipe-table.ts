import {
  isForEverybody,
  isSameOwner,
  type Recipe,
  type RecipeBounds,
  type RecipeOwner,
  type RecipeTable,
} from '../domain/saved-configuration/saved-configuration.ts';

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
  return {
    get: async (id) => structuredClone(find(id)),
    listOf: async (owners) => {
      const theirs = Object.values(low.data.recipes).filter(({ owner }) => owners.some((one) => isSameOwner(one, owner)));
      return structuredClone(theirs.sort((a, b) => a.title.localeCompare(b.title) || a.id.localeCompare(b.id)));
    },
    add: async (recipe, bounds) => {
      if (!hasRoom(low.data, recipe, bounds)) return 'full';
      put(low.data, recipe, bounds);
      await low.write();
      return 'added';
    },
    replace: async (recipe, { version, bounds }) => {
      const before = find(recipe.id);
      if (before?.version !== version) return 'stale';
      if (!hasRoom(low.data, recipe, bounds)) return 'full';
      low.data.earlierRecipes[recipe.id] = [before, ...earlierOf(low.data, recipe.id)].slice(0, MOST_EARLIER);
      put(low.data, recipe, bounds);
      await low.write();
      return 'done';
    },
    earlierOf: async (id) => structuredClone(earlierOf(low.data, id)),
    delete: async (id, version) => {
      if (find(id)?.version !== version) return false;
      delete low.data.recipes[id];
      delete low.data.earlierRecipes[id];
      await low.write();
      return true;
    },
  };
}

function earlierOf({ earlierRecipes }: RecipeData, id: string): readonly Recipe[] {
  return Object.hasOwn(earlierRecipes, id) ? (earlierRecipes[id] ?? []) : [];
}

function hasRoom({ recipes }: RecipeData, recipe: Recipe, { count, characters, ofAuthor }: RecipeBounds): boolean {
  const others = Object.values(recipes).filter(({ id, owner }) => id !== recipe.id && isSameOwner(owner, recipe.owner));
  const fits = others.length < count && sizeOf([recipe, ...others]) <= characters;
  if (!fits || !isForEverybody(recipe.owner)) return fits;
  const own = others.filter(({ author }) => author === recipe.author);
  return own.length < ofAuthor.count && sizeOf([recipe, ...own]) <= ofAuthor.characters;
}

function put(data: RecipeData, recipe: Recipe, bounds: RecipeBounds): void {
  data.recipes[recipe.id] = structuredClone(recipe);
  forgetEarlier(data, recipe.owner, bounds);
}

function sizeOf(recipes: readonly Recipe[]): number {
  return recipes.reduce((sum, { values }) => sum + JSON.stringify(values).length, 0);
}

/** Forgets what recipes of an owner were before, the oldest first, until all of theirs is within the bounds. */
function forgetEarlier(data: RecipeData, owner: RecipeOwner, { characters }: RecipeBounds): void {
  const own = Object.values(data.recipes).filter((recipe) => isSameOwner(recipe.owner, owner));
  const earlier = own.flatMap(({ id }) => earlierOf(data, id)).toSorted((a, b) => b.updated.localeCompare(a.updated));
  let room = characters - sizeOf(own);
  const kept = new Set(
    earlier.filter((recipe) => {
      room -= sizeOf([recipe]);
      return room >= 0;
    }),
  );
  for (const { id } of own) {
    const left = earlierOf(data, id).filter((recipe) => kept.has(recipe));
    if (left.length === 0) delete data.earlierRecipes[id];
    else data.earlierRecipes[id] = left;
  }
}
