import { EVERYBODY } from '../../domain/kubernetes/actor.ts';
import type { App } from '../../domain/app/app.ts';
import type { FieldFault } from '../../domain/core/errors.ts';
import { isOfAnotherAuthor, type Recipe, type RecipeOwner } from '../../domain/saved-configuration/saved-configuration.ts';
import type { Visit } from '../page/page.ts';
import type { Me } from '../ports.ts';
import { appPath, installPath, recipePath, recipesPath } from '../page/paths.ts';

/** A view of `apps/recipes`: the saved configurations of an App. */
interface RecipesPage {
  readonly appName: string;
  readonly action: string;
  readonly installHref: string;
  readonly search: string;
  readonly rows: readonly RecipeRow[];
  /** The title of the one that was just saved; empty without one. */
  readonly saved: string;
  /** How many secrets were left out of it. */
  readonly secrets: number;
  readonly deleted: boolean;
}

interface RecipeRow {
  readonly title: string;
  readonly description: string;
  readonly owner: string;
  readonly updated: string;
  readonly useHref: string;
  /** Whether whoever looks may change and delete it. */
  readonly isMine: boolean;
  readonly changeHref: string;
  readonly compareHref: string;
  readonly copyAction: string;
  readonly deleteAction: string;
  readonly version: number;
}

export function recipesPage(app: App, recipes: readonly Recipe[], { query, me }: Pick<Visit, 'query' | 'me'>): RecipesPage {
  return {
    appName: app.displayName,
    action: recipesPath(app.id),
    installHref: installPath(app.id),
    search: query.get('q') ?? '',
    rows: recipes.map((recipe) => ({
      title: recipe.title,
      description: recipe.description,
      owner: ownerText(recipe.owner),
      updated: recipe.updated,
      useHref: `${installPath(app.id)}?recipe=${recipe.id}`,
      isMine: me.admin || !isOfAnotherAuthor(recipe, me),
      changeHref: recipePath(recipe),
      compareHref: `${recipePath(recipe)}/compare`,
      copyAction: `${recipePath(recipe)}/copy`,
      deleteAction: `${recipePath(recipe)}/delete`,
      version: recipe.version,
    })),
    saved: recipes.find(({ id }) => id === query.get('saved'))?.title ?? '',
    secrets: Math.min(1000, Math.max(0, Math.trunc(Number(query.get('secrets') ?? 0)) || 0)),
    deleted: query.has('deleted'),
  };
}

function ownerText(owner: RecipeOwner): string {
  if ('user' in owner) return 'Yours';
  return owner.group === EVERYBODY ? 'For everybody who signs in' : `Group ${owner.group}`;
}

/** A view of `apps/save`: what a configuration is saved as. */
interface SavePage {
  readonly appName: string;
  readonly action: string;
  /** Where the page came from; empty for a form, which has a button of its own. */
  readonly backHref: string;
  /** Not `title`, which is the page's. */
  readonly recipeTitle: string;
  readonly titleFault: string;
  readonly description: string;
  readonly descriptionFault: string;
  readonly owners: readonly OwnerChoice[];
  /** The secrets that are not saved. */
  readonly stripped: readonly string[];
  readonly kept: readonly { readonly name: string; readonly value: string }[];
  readonly errors: readonly { readonly message: string; readonly href: string }[];
}

/** A radio button for whom a configuration is. */
export interface OwnerChoice {
  readonly id: string;
  readonly value: string;
  readonly label: string;
  readonly selected: boolean;
}

/** What somebody typed on that page. */
export interface SaveDraft {
  readonly title: string;
  readonly description: string;
  /** `user`, or `group:` and its name. */
  readonly owner: string;
}

interface SaveInput {
  readonly app: App;
  readonly me: Me;
  readonly action: string;
  readonly backHref: string;
  readonly draft: SaveDraft;
  readonly stripped: readonly string[];
  readonly kept: SavePage['kept'];
  readonly faults: readonly FieldFault[];
}

export function savePage({ app, me, draft, faults, action, backHref, stripped, kept }: SaveInput): SavePage {
  return {
    appName: app.displayName,
    action,
    backHref,
    recipeTitle: draft.title,
    titleFault: faultOf(faults, 'title'),
    description: draft.description,
    descriptionFault: faultOf(faults, 'description'),
    owners: ownerChoices(me, draft.owner),
    stripped,
    kept,
    errors: faults.map(({ field, message }) => ({ message, href: field === 'title' || field === 'description' ? `#${field}` : '' })),
  };
}

export function ownerChoices(me: Me, owner: string): readonly OwnerChoice[] {
  const choices = [
    { value: 'user', label: 'For me alone' },
    ...me.groups
      .toSorted((a, b) => Number(a === EVERYBODY) - Number(b === EVERYBODY))
      .map((group) => ({ value: `group:${group}`, label: group === EVERYBODY ? 'For everybody who signs in' : `For the group ${group}` })),
  ];
  const chosen = choices.some(({ value }) => value === owner) ? owner : 'user';
  return choices.map(({ value, label }, index) => ({ id: `owner-${index}`, value, label, selected: value === chosen }));
}

/** An owner as `ownerChoices` and `parseOwner` know it. */
export function ownerValue(owner: RecipeOwner): string {
  return 'user' in owner ? 'user' : `group:${owner.group}`;
}

/** The owner that a page names; a text that names none is the person. */
export function parseOwner(text: string, user: string): RecipeOwner {
  return text.startsWith('group:') ? { group: text.slice('group:'.length) } : { user };
}

/** The way to the saved configurations of an App. */
export function recipesCrumbs(app: App, here: string): readonly { label: string; href?: string }[] {
  return [{ label: 'Catalogue', href: '/' }, { label: app.displayName, href: appPath(app.id) }, { label: here }];
}

/** The way to one saved configuration. */
export function recipeCrumbs(app: App, here: string): readonly { label: string; href?: string }[] {
  return [...recipesCrumbs(app, '').slice(0, 2), { label: 'Saved configurations', href: recipesPath(app.id) }, { label: here }];
}

function faultOf(faults: readonly FieldFault[], field: string): string {
  return faults
    .filter((fault) => fault.field === field)
    .map(({ message }) => message)
    .join('. ');
}
