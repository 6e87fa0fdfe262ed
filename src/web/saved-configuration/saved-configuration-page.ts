import { EVERYBODY } from '../../domain/kubernetes/actor.ts';
import type { App } from '../../domain/app/app.ts';
import type { FieldFault } from '../../domain/core/errors.ts';
import {
  isOfAnotherAuthor,
  type SavedConfiguration,
  type SavedConfigurationOwner,
} from '../../domain/saved-configuration/saved-configuration.ts';
import type { Visit } from '../page/page.ts';
import type { Me } from '../page/shell.ts';
import { appPath, installPath, savedConfigurationPath, savedConfigurationsPath } from '../page/paths.ts';

/** A view of `apps/saved-configurations`: the saved configurations of an App. */
interface SavedConfigurationsPage {
  readonly appName: string;
  readonly action: string;
  readonly installHref: string;
  readonly search: string;
  readonly rows: readonly SavedConfigurationRow[];
  /** The title of the one that was just saved; empty without one. */
  readonly saved: string;
  /** How many secrets were left out of it. */
  readonly secrets: number;
  readonly deleted: boolean;
}

interface SavedConfigurationRow {
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

export function savedConfigurationsPage(
  app: App,
  savedConfigurations: readonly SavedConfiguration[],
  { query, me }: Pick<Visit, 'query' | 'me'>,
): SavedConfigurationsPage {
  return {
    appName: app.displayName,
    action: savedConfigurationsPath(app.id),
    installHref: installPath(app.id),
    search: query.get('q') ?? '',
    rows: savedConfigurations.map((savedConfiguration) => ({
      title: savedConfiguration.title,
      description: savedConfiguration.description,
      owner: ownerText(savedConfiguration.owner),
      updated: savedConfiguration.updated,
      useHref: `${installPath(app.id)}?saved-configuration=${savedConfiguration.id}`,
      isMine: me.admin || !isOfAnotherAuthor(savedConfiguration, me),
      changeHref: savedConfigurationPath(savedConfiguration),
      compareHref: `${savedConfigurationPath(savedConfiguration)}/compare`,
      copyAction: `${savedConfigurationPath(savedConfiguration)}/copy`,
      deleteAction: `${savedConfigurationPath(savedConfiguration)}/delete`,
      version: savedConfiguration.version,
    })),
    saved: savedConfigurations.find(({ id }) => id === query.get('saved'))?.title ?? '',
    secrets: Math.min(1000, Math.max(0, Math.trunc(Number(query.get('secrets') ?? 0)) || 0)),
    deleted: query.has('deleted'),
  };
}

function ownerText(owner: SavedConfigurationOwner): string {
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
  readonly savedConfigurationTitle: string;
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
    savedConfigurationTitle: draft.title,
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
export function ownerValue(owner: SavedConfigurationOwner): string {
  return 'user' in owner ? 'user' : `group:${owner.group}`;
}

/** The owner that a page names; a text that names none is the person. */
export function parseOwner(text: string, user: string): SavedConfigurationOwner {
  return text.startsWith('group:') ? { group: text.slice('group:'.length) } : { user };
}

/** The way to the saved configurations of an App. */
export function savedConfigurationsCrumbs(app: App, here: string): readonly { label: string; href?: string }[] {
  return [{ label: 'Catalogue', href: '/' }, { label: app.displayName, href: appPath(app.id) }, { label: here }];
}

/** The way to one saved configuration. */
export function savedConfigurationCrumbs(app: App, here: string): readonly { label: string; href?: string }[] {
  return [
    ...savedConfigurationsCrumbs(app, '').slice(0, 2),
    { label: 'Saved configurations', href: savedConfigurationsPath(app.id) },
    { label: here },
  ];
}

function faultOf(faults: readonly FieldFault[], field: string): string {
  return faults
    .filter((fault) => fault.field === field)
    .map(({ message }) => message)
    .join('. ');
}
