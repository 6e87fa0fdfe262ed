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
  /** Those that no app of the catalogue can use. */
  readonly lost: readonly { readonly id: string; readonly fault: string }[];
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
  /** What is wrong with it; empty when nothing is. */
  readonly fault: string;
  readonly useHref: string;
  /** Whether whoever looks may change and delete it. */
  readonly isMine: boolean;
  readonly changeHref: string;
  readonly compareHref: string;
  readonly copyAction: string;
  readonly deleteAction: string;
  readonly version: number;
}

interface SavedConfigurationsInput {
  /** Those of all apps. */
  readonly savedConfigurations: readonly SavedConfiguration[];
  /** The environments whose configurations the person may change. */
  readonly changeable: readonly string[];
}

export function savedConfigurationsPage(
  app: App,
  { savedConfigurations, changeable }: SavedConfigurationsInput,
  { query, me }: Pick<Visit, 'query'> & { readonly me: Me },
): SavedConfigurationsPage {
  const ofApp = savedConfigurations.filter((one) => one.app === app.id);
  return {
    appName: app.displayName,
    action: savedConfigurationsPath(app.id),
    installHref: installPath(app.id),
    search: query.get('q') ?? '',
    rows: ofApp.map((savedConfiguration) => ({
      title: savedConfiguration.title,
      description: savedConfiguration.description,
      owner: ownerText(savedConfiguration.owner),
      updated: savedConfiguration.updated,
      fault: savedConfiguration.fault?.message ?? '',
      useHref: `${installPath(app.id)}?saved-configuration=${savedConfiguration.id}`,
      isMine: mayChange(savedConfiguration, { me, changeable }),
      changeHref: savedConfigurationPath(savedConfiguration),
      compareHref: `${savedConfigurationPath(savedConfiguration)}/compare`,
      copyAction: `${savedConfigurationPath(savedConfiguration)}/copy`,
      deleteAction: `${savedConfigurationPath(savedConfiguration)}/delete`,
      version: savedConfiguration.version,
    })),
    lost: savedConfigurations.flatMap(({ id, fault }) => (fault?.kind === 'UnknownApp' ? [{ id, fault: fault.message }] : [])),
    saved: ofApp.find(({ id }) => id === query.get('saved'))?.title ?? '',
    secrets: Math.min(1000, Math.max(0, Math.trunc(Number(query.get('secrets') ?? 0)) || 0)),
    deleted: query.has('deleted'),
  };
}

function mayChange(
  savedConfiguration: SavedConfiguration,
  { me, changeable }: Pick<SavedConfigurationsInput, 'changeable'> & { readonly me: Me },
): boolean {
  const { owner } = savedConfiguration;
  if ('environment' in owner) return changeable.includes(owner.environment);
  return me.admin || !isOfAnotherAuthor(savedConfiguration, me);
}

function ownerText(owner: SavedConfigurationOwner): string {
  if ('user' in owner) return 'Yours';
  if ('environment' in owner) return `Environment ${owner.environment}`;
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
  /** `user`, or `group:` or `environment:` and its name. */
  readonly owner: string;
}

interface SaveInput {
  readonly app: App;
  readonly me: Me;
  readonly action: string;
  readonly backHref: string;
  readonly draft: SaveDraft;
  /** Names of those that it can be saved for. */
  readonly environments: readonly string[];
  readonly stripped: readonly string[];
  readonly kept: SavePage['kept'];
  readonly faults: readonly FieldFault[];
}

export function savePage({ app, me, draft, environments, faults, action, backHref, stripped, kept }: SaveInput): SavePage {
  return {
    appName: app.displayName,
    action,
    backHref,
    savedConfigurationTitle: draft.title,
    titleFault: faultOf(faults, 'title'),
    description: draft.description,
    descriptionFault: faultOf(faults, 'description'),
    owners: ownerChoices(me, draft.owner, environments),
    stripped,
    kept,
    errors: faults.map(({ field, message }) => ({ message, href: field === 'title' || field === 'description' ? `#${field}` : '' })),
  };
}

export function ownerChoices(me: Me, owner: string, environments: readonly string[]): readonly OwnerChoice[] {
  const choices = [
    { value: 'user', label: 'For me alone' },
    ...environments.map((name) => ({ value: `environment:${name}`, label: `For the environment ${name}` })),
    ...me.groups
      .toSorted((a, b) => Number(a === EVERYBODY) - Number(b === EVERYBODY))
      .map((group) => ({ value: `group:${group}`, label: group === EVERYBODY ? 'For everybody who signs in' : `For the group ${group}` })),
  ];
  const chosen = choices.some(({ value }) => value === owner) ? owner : 'user';
  return choices.map(({ value, label }, index) => ({ id: `owner-${index}`, value, label, selected: value === chosen }));
}

/** An owner as `ownerChoices` and `parseOwner` know it. */
export function ownerValue(owner: SavedConfigurationOwner): string {
  if ('user' in owner) return 'user';
  return 'environment' in owner ? `environment:${owner.environment}` : `group:${owner.group}`;
}

/** The owner that a page names; a text that names none is the person. */
export function parseOwner(text: string, user: string): SavedConfigurationOwner {
  const [, kind = '', name = ''] = /^(group|environment):(.*)$/s.exec(text) ?? [];
  if (kind === 'environment') return { environment: name };
  return kind === 'group' ? { group: name } : { user };
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
