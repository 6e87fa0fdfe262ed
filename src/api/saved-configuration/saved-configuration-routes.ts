import { objectAt, textAt } from '../../domain/core/read.ts';
import { recipeEtag, type RecipeOwner } from '../../domain/saved-configuration/saved-configuration.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { compareRecipe } from '../../operation/saved-configuration/compare-saved-configuration.ts';
import { listEarlierRecipes, listRecipes, showRecipe } from '../../operation/saved-configuration/list-saved-configurations.ts';
import { changeRecipe, deleteRecipe, saveRecipe } from '../../operation/saved-configuration/save-configuration.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import type { Call, Reply, Route } from '../route.ts';
import { pageOf, ref } from '../schemas.ts';

const RECIPE = '/recipes/{id}';

/** Saved configurations of people and groups. */
export const RECIPE_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/recipes',
    operationId: 'listRecipes',
    summary: 'The saved configurations of you and your groups',
    tag: 'Recipes',
    query: {
      app: { type: 'string', default: '', description: 'Of this app alone' },
      search: { type: 'string', default: '', description: 'Every word must occur in title, description or owner' },
      ...PAGE_QUERY,
    },
    replies: { 200: { description: 'A page of saved configurations', schema: pageOf('Recipe') } },
    handle: async ({ ports, actor, query }) => {
      const recipes = await listRecipes(ports, actor, { app: textAt(query, 'app') ?? '', search: textAt(query, 'search') ?? '' });
      return { status: 200, body: pageOfItems(recipes, ({ title, id }) => `${title.toLowerCase()} ${id}`, query) };
    },
  },
  {
    method: 'post',
    path: '/recipes',
    operationId: 'saveRecipe',
    summary: 'Save a configuration for yourself or a group of yours, without its secrets',
    tag: 'Recipes',
    body: ref('RecipeDraft'),
    replies: { 201: { description: 'What was saved; Location names it', schema: ref('SavedRecipe') } },
    handle: async (call) => await save(call),
  },
  {
    method: 'get',
    path: RECIPE,
    operationId: 'showRecipe',
    etag: 'strong',
    summary: 'One saved configuration',
    tag: 'Recipes',
    replies: { 200: { description: 'The saved configuration; its ETag serves `If-Match`', schema: ref('Recipe') } },
    handle: async ({ ports, actor, params }) => {
      const recipe = await showRecipe(ports, actor, params['id'] ?? '');
      return { status: 200, body: recipe, etag: recipeEtag(recipe) };
    },
  },
  {
    method: 'patch',
    path: RECIPE,
    operationId: 'changeRecipe',
    etag: 'strong',
    summary: 'Change a saved configuration by a JSON Merge Patch (RFC 7386)',
    tag: 'Recipes',
    body: ref('RecipePatch'),
    replies: { 200: { description: 'The changed one', schema: ref('SavedRecipe') } },
    handle: async (call) => await change(call),
  },
  {
    method: 'get',
    path: `${RECIPE}/versions`,
    operationId: 'listEarlierRecipes',
    summary: 'What a saved configuration was before its last changes, the newest first',
    tag: 'Recipes',
    replies: {
      200: { description: 'At most five', schema: { type: 'object', properties: { items: { type: 'array', items: ref('Recipe') } } } },
    },
    handle: async ({ ports, actor, params }) => ({
      status: 200,
      body: { items: await listEarlierRecipes(ports, actor, params['id'] ?? '') },
    }),
  },
  {
    method: 'get',
    path: `${RECIPE}/comparison`,
    operationId: 'compareRecipe',
    summary: 'What a saved configuration sets beside today’s defaults, or what laying it over an instance of the app would change',
    tag: 'Recipes',
    query: {
      environment: { type: 'string', default: '', description: 'With `name`: an instance; without both: the defaults' },
      name: { type: 'string', default: '' },
    },
    replies: { 200: { description: 'The fields that differ', schema: ref('RecipeComparison') } },
    handle: async ({ ports, actor, params, query }) => {
      const instance = { environment: textAt(query, 'environment') ?? '', name: textAt(query, 'name') ?? '' };
      const wanted = { id: params['id'] ?? '', ...(instance.environment === '' && instance.name === '' ? {} : { instance }) };
      return { status: 200, body: { changes: (await compareRecipe(ports, actor, wanted)).changes } };
    },
  },
  {
    method: 'delete',
    path: RECIPE,
    operationId: 'deleteRecipe',
    etag: 'strong',
    summary: 'Delete a saved configuration',
    tag: 'Recipes',
    replies: { 200: { description: 'It is gone' } },
    handle: async ({ ports, actor, params, preconditions, asking }) => {
      await deleteRecipe(ports, actor, { id: params['id'] ?? '', preconditions, ...asking });
      return { status: 200 };
    },
  },
];

async function save({ ports, actor, body, asking }: Call): Promise<Reply> {
  const saved = await saveRecipe(ports, actor, {
    app: textAt(body, 'app') ?? '',
    title: textAt(body, 'title') ?? '',
    description: textAt(body, 'description') ?? '',
    values: objectAt(body, 'values') as JsonObject,
    beside: objectAt(body, 'beside') as JsonObject,
    owner: ownerIn(body) ?? { user: actor.user },
    ...asking,
  });
  return { status: 201, body: saved, etag: recipeEtag(saved.recipe), location: `/api/v1/recipes/${saved.recipe.id}` };
}

async function change({ ports, actor, params, body, preconditions, asking }: Call): Promise<Reply> {
  const [title, description] = [textAt(body, 'title'), textAt(body, 'description')];
  const owner = ownerIn(body);
  const saved = await changeRecipe(ports, actor, {
    id: params['id'] ?? '',
    preconditions,
    ...asking,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(owner === undefined ? {} : { owner }),
    ...(Object.hasOwn(body as object, 'values') ? { values: objectAt(body, 'values') as JsonObject, mode: 'Merge' } : {}),
    ...(Object.hasOwn(body as object, 'beside') ? { beside: objectAt(body, 'beside') as JsonObject, mode: 'Merge' } : {}),
  });
  return { status: 200, body: saved, etag: recipeEtag(saved.recipe) };
}

function ownerIn(body: unknown): RecipeOwner | undefined {
  const [user, group] = [textAt(body, 'owner', 'user'), textAt(body, 'owner', 'group')];
  if (group !== undefined) return { group };
  return user === undefined ? undefined : { user };
}
