import { AppError } from '../../src/domain/core/errors.ts';
import type { Recipe } from '../../src/domain/saved-configuration/saved-configuration.ts';
import type { RecipeOperations } from '../../src/web/saved-configuration/saved-configuration-port.ts';

const APP = 'postgresclusters.samples.chandlery.dev';
const TIME = '2026-11-20T12:00:00.000Z';

export const SAMPLE_RECIPES: readonly Recipe[] = [
  {
    id: 'a'.repeat(32),
    app: APP,
    title: 'Small, for a try',
    description: 'One server and little room.',
    values: { instances: 1, storage: { size: '2Gi' } },
    owner: { user: 'oidc:dev-a' },
    created: TIME,
    updated: TIME,
    version: 1,
  },
  {
    id: 'b'.repeat(32),
    app: APP,
    title: 'What the team uses',
    description: '',
    values: { instances: 3, storage: { size: '20Gi', tier: 'old' } },
    owner: { group: 'oidc:team-a' },
    created: TIME,
    updated: TIME,
    version: 4,
  },
];

/** What is saved here is taken, and not kept. */
export const SAMPLE_RECIPE_OPERATIONS: RecipeOperations = {
  listRecipes: async (_actor, { app, search }) =>
    SAMPLE_RECIPES.filter((recipe) => recipe.app === app && recipe.title.toLowerCase().includes(search.toLowerCase())),
  showRecipe: async (_actor, id) => {
    const recipe = SAMPLE_RECIPES.find((one) => one.id === id);
    return recipe ?? Promise.reject(new AppError('NotFound', 'saved configuration: there is none'));
  },
  listEarlierRecipes: async (_actor, id) =>
    SAMPLE_RECIPES.filter((recipe) => recipe.id === id && recipe.version > 1).map((recipe) => ({
      ...recipe,
      title: 'What the team used',
      values: { instances: 2 },
      version: recipe.version - 1,
    })),
  compareRecipe: async (actor, { id, instance }) => ({
    recipe: await SAMPLE_RECIPE_OPERATIONS.showRecipe(actor, id),
    changes: [
      { path: 'spec.instances', from: 1, to: 3, layer: 'you', secret: false },
      { path: 'spec.storage.size', ...(instance === undefined ? {} : { from: '10Gi' }), to: '20Gi', layer: 'you', secret: false },
    ],
  }),
  listRecipeInstances: async () => [{ environment: 'team-a', name: 'orders' }],
  changeRecipe: async (actor, change) => {
    const recipe = await SAMPLE_RECIPE_OPERATIONS.showRecipe(actor, change.id);
    if (change.version !== undefined && change.version !== recipe.version)
      throw new AppError('Conflict', 'saved configuration: it was changed');
    return { recipe: { ...recipe, ...change, version: recipe.version + 1 }, stripped: [] };
  },
  saveRecipe: async (_actor, draft) => {
    if (draft.title === '') {
      throw new AppError('InvalidInput', 'saved configuration', { faults: [{ field: 'title', message: 'Enter a title' }] });
    }
    return { recipe: { ...draft, id: 'c'.repeat(32), created: TIME, updated: TIME, version: 1 }, stripped: [] };
  },
  deleteRecipe: async () => undefined,
};
