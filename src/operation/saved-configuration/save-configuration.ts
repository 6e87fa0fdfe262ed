import { randomBytes } from 'node:crypto';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError, type FieldFault } from '../../domain/core/errors.ts';
import { checkPreconditions, type Preconditions } from '../../domain/kubernetes/etag.ts';
import type { Asking, Deed } from '../../domain/audit/audit-log.ts';
import { applyMergePatch } from '../../domain/core/merge-patch.ts';
import {
  contentOfRecipe,
  isForEverybody,
  isOfAnotherAuthor,
  isSameOwner,
  recipeEtag,
  type Recipe,
  type RecipeBounds,
  type RecipeOwner,
} from '../../domain/saved-configuration/saved-configuration.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { appForm } from '../../form/model/app-form.ts';
import { journaled } from '../audit/audited.ts';
import { ownersFor, showRecipe } from './list-saved-configurations.ts';
import { me } from '../me.ts';
import type { Ports } from '../ports.ts';
import { recipeValues, type RecipeValues } from './saved-values.ts';
import { showApp } from '../app/show-app.ts';

/** What somebody wants to save. */
export interface RecipeDraft extends Asking {
  readonly app: string;
  readonly title: string;
  readonly description: string;
  /** What goes under `spec`, and what goes beside it. */
  readonly values: JsonObject;
  readonly beside?: JsonObject;
  readonly owner: RecipeOwner;
}

/** What is to be changed of a recipe; absent: stays. */
export interface RecipeChange extends Asking {
  readonly id: string;
  readonly title?: string;
  readonly description?: string;
  readonly values?: JsonObject;
  /** `Merge`: `values` and `beside` are JSON Merge Patches of those that are there when it is saved; by default they replace them. */
  readonly mode?: 'Replace' | 'Merge';
  readonly beside?: JsonObject;
  /** The actor, or a group of theirs. */
  readonly owner?: RecipeOwner;
  /** The version that it must have; absent: whichever it has. */
  readonly version?: number;
  readonly preconditions?: Preconditions;
}

/** A recipe as it was saved, and the secrets that were left out. */
export interface SavedRecipe {
  readonly recipe: Recipe;
  readonly stripped: readonly string[];
}

type Needs = Pick<Ports, 'clusters' | 'catalog' | 'chart' | 'recipes' | 'journal'>;

/** What a person or a group can have: the store is a file, and is written whole. */
const BOUNDS: RecipeBounds = {
  count: 100,
  characters: 4 * 1024 * 1024,
  ofAuthor: { count: 10, characters: 512 * 1024 },
};
/** One of those who save at the same time succeeds each time. */
const ATTEMPTS = 20;
const LONGEST_TITLE = 100;
const LONGEST_DESCRIPTION = 1000;

/**
 * Saves a configuration of an App for the actor or a group of theirs, without its secrets.
 *
 * @throws AppError `InvalidInput` for texts that are empty or too long; `Forbidden` for a group of others; `LimitReached` beyond 100 of an owner or 4 MiB;
 *   `TooLarge`; `NotFound` as `findApp`.
 */
export async function saveRecipe(ports: Needs, actor: Actor, draft: RecipeDraft): Promise<SavedRecipe> {
  const id = randomBytes(16).toString('hex');
  return await journaled(ports, actor, recipeDeed('create recipe', `${draft.app}/${id}`, draft), async () => {
    const { app, owner } = draft;
    const words = parseWords(draft);
    refuseForeign(actor, owner);
    const { stripped, ...values } = recipeValues(appForm(await showApp(ports, actor, app), 'create'), contentOfRecipe(draft));
    const now = new Date(ports.recipes.now()).toISOString();
    const recipe: Recipe = { id, app, ...words, ...values, owner, author: actor.user, created: now, updated: now, version: 1 };
    if ((await ports.recipes.table.add(recipe, BOUNDS)) === 'full') throw full(owner);
    return { recipe, stripped };
  });
}

/**
 * Changes a recipe of the actor or of a group of theirs; `Conflict` when it is not of the version any more, `PreconditionFailed`, `Forbidden` for everybody's
 * of another author.
 */
export async function changeRecipe(ports: Needs, actor: Actor, change: RecipeChange): Promise<SavedRecipe> {
  return await journaled(ports, actor, recipeDeed('update recipe', change.id, change), async () => {
    for (let attempt = 1; ; attempt += 1) {
      const saved = await attemptChange(ports, actor, change);
      if (saved !== 'stale') return saved;
      if (attempt >= ATTEMPTS) throw stale(await showRecipe(ports, actor, change.id));
    }
  });
}

/** Lays the change over the recipe as it is now; `stale` when somebody was faster. */
async function attemptChange(ports: Needs, actor: Actor, change: RecipeChange): Promise<SavedRecipe | 'stale'> {
  const before = await showRecipe(ports, actor, change.id);
  await refuseOthers(ports, actor, before);
  checkPreconditions(recipeWords(before), recipeEtag(before), change.preconditions ?? {});
  const words = parseWords({ title: change.title ?? before.title, description: change.description ?? before.description });
  const { beside: _beside, ...rest } = before;
  const { stripped, ...values } = await valuesOf(ports, actor, { before, change });
  const updated = new Date(ports.recipes.now()).toISOString();
  const owner = change.owner ?? before.owner;
  refuseForeign(actor, owner);
  const recipe: Recipe = { ...rest, ...words, ...values, owner, updated, version: before.version + 1 };
  if (before.version !== (change.version ?? before.version)) throw stale(before);
  const done = await ports.recipes.table.replace(recipe, { version: before.version, bounds: BOUNDS });
  if (done === 'full') throw full(owner);
  return done === 'stale' ? 'stale' : { recipe, stripped };
}

async function valuesOf(
  ports: Needs,
  actor: Actor,
  { before, change }: { readonly before: Recipe; readonly change: RecipeChange },
): Promise<RecipeValues> {
  const old = { values: before.values, ...(before.beside === undefined ? {} : { beside: before.beside }) };
  if (change.values === undefined && change.beside === undefined) return { ...old, stripped: [] };
  const laid = (below: JsonObject, own: JsonObject | undefined): JsonObject =>
    own === undefined || change.mode === 'Merge' ? (applyMergePatch(below, own ?? {}) as JsonObject) : own;
  const wanted = { values: laid(old.values, change.values), beside: laid(old.beside ?? {}, change.beside) };
  return recipeValues(appForm(await showApp(ports, actor, before.app), 'create'), contentOfRecipe(wanted));
}

/** Deletes a recipe of the actor or of a group of theirs. Throws like `changeRecipe`. */
export async function deleteRecipe(
  ports: Pick<Ports, 'clusters' | 'recipes' | 'journal'>,
  actor: Actor,
  { id, version, preconditions = {}, ...asking }: Pick<RecipeChange, 'id' | 'version' | 'preconditions'> & Asking,
): Promise<void> {
  await journaled(ports, actor, recipeDeed('delete recipe', id, asking), async () => {
    const recipe = await showRecipe(ports, actor, id);
    await refuseOthers(ports, actor, recipe);
    checkPreconditions(recipeWords(recipe), recipeEtag(recipe), preconditions);
    if (!(await ports.recipes.table.delete(id, version ?? recipe.version))) throw stale(recipe);
  });
}

function recipeDeed(action: string, target: string, { via, requestId }: Asking): Deed {
  return { action, environment: '', target, via, requestId };
}

function parseWords(words: { readonly title: string; readonly description: string }): { title: string; description: string } {
  const [title, description] = [words.title.trim(), words.description.replaceAll('\r\n', '\n').trim()];
  const faults: FieldFault[] = [
    ...(title === '' ? [{ field: 'title', message: 'Enter a title' }] : []),
    ...(title.length > LONGEST_TITLE ? [{ field: 'title', message: `Shorten the title to ${LONGEST_TITLE} characters` }] : []),
    ...(/\p{Cc}/u.test(title) ? [{ field: 'title', message: 'Write the title in one line' }] : []),
    ...(description.length > LONGEST_DESCRIPTION
      ? [{ field: 'description', message: `Shorten the description to ${LONGEST_DESCRIPTION} characters` }]
      : []),
  ];
  if (faults.length > 0)
    throw new AppError('InvalidInput', `saved configuration: ${faults.map(({ message }) => message).join('; ')}`, { faults });
  return { title, description };
}

function refuseForeign(actor: Actor, owner: RecipeOwner): void {
  if (ownersFor(actor).some((one) => isSameOwner(one, owner))) return;
  throw new AppError('Forbidden', 'saved configuration: you can save for yourself and for groups that you are a member of');
}

/** What is for everybody is changed by its author and by admins. */
async function refuseOthers(ports: Pick<Ports, 'clusters'>, actor: Actor, recipe: Recipe): Promise<void> {
  if (!isOfAnotherAuthor(recipe, actor) || (await me(ports, actor)).admin) return;
  const message = `${recipeWords(recipe)}: it is for everybody, so only its author and admins can change or delete it`;
  throw new AppError('Forbidden', `${message}; save a copy of your own instead`);
}

function full(owner: RecipeOwner): AppError {
  const { count, ofAuthor } = BOUNDS;
  const most = isForEverybody(owner) ? `${count} or 4 MiB, of one author ${ofAuthor.count} or 512 KiB` : `${count} or 4 MiB`;
  return new AppError('LimitReached', `saved configuration: this owner has all that can be kept, ${most}; delete one first`);
}

function stale(recipe: Recipe): AppError {
  return new AppError('Conflict', `${recipeWords(recipe)}: somebody else changed it meanwhile; look at it again`);
}

function recipeWords({ title }: Recipe): string {
  return `saved configuration ${JSON.stringify(title)}`;
}
