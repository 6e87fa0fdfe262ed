import type { FieldFault } from '../../domain/core/errors.ts';
import { contentOfSavedConfiguration, type SavedConfiguration } from '../../domain/saved-configuration/saved-configuration.ts';
import type { App } from '../../domain/app/app.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { unknownFields } from '../../form/model/unknown-fields.ts';
import { ownFault, showForm, type ShownForm } from '../instance/instance-form.ts';
import { installPath, savedConfigurationPath, savedConfigurationsPath } from '../page/paths.ts';
import type { Me } from '../page/shell.ts';
import { ownerChoices, type OwnerChoice, type SaveDraft } from './saved-configuration-page.ts';

/** A view of `apps/saved-configuration`: one saved configuration that is changed. */
interface SavedConfigurationEditPage extends ShownForm {
  readonly appName: string;
  readonly action: string;
  readonly useHref: string;
  readonly compareHref: string;
  readonly backHref: string;
  /** As it is called so far. */
  readonly savedTitle: string;
  /** Not `title`, which is the page's. */
  readonly savedConfigurationTitle: string;
  readonly titleFault: string;
  readonly description: string;
  readonly descriptionFault: string;
  readonly owners: readonly OwnerChoice[];
  /** The version that the change is made on. */
  readonly version: number;
  /** Where somebody else was faster: what the form has otherwise than they, as paths; false without. */
  readonly conflict: false | { readonly paths: readonly string[]; readonly more: number };
  /** Fields that the app has no place for any more. */
  readonly unknown: readonly string[];
  readonly earlier: readonly { readonly version: number; readonly title: string; readonly updated: string; readonly href: string }[];
  /** The earlier version that stands in the form; 0: none. */
  readonly shownVersion: number;
  readonly copied: boolean;
}

export interface SavedConfigurationEditDraft extends SaveDraft {
  readonly fields: URLSearchParams;
  readonly faults: readonly FieldFault[];
  readonly version: number;
  /** Paths that differ from what somebody else saved meanwhile; absent: nobody did. */
  readonly foreign?: readonly string[];
  readonly shownVersion: number;
  readonly copied: boolean;
}

interface SavedConfigurationEditInput {
  readonly app: App;
  readonly me: Me;
  readonly model: FormModel;
  readonly savedConfiguration: SavedConfiguration;
  readonly earlier: readonly SavedConfiguration[];
}

const MOST_NAMED = 12;

export async function savedConfigurationEditPage(
  { app, me, model, savedConfiguration, earlier }: SavedConfigurationEditInput,
  draft: SavedConfigurationEditDraft,
): Promise<SavedConfigurationEditPage> {
  const { faults, foreign } = draft;
  const path = savedConfigurationPath(savedConfiguration);
  return {
    ...(await showForm(model, draft.fields, { faults, base: {} })),
    appName: app.displayName,
    action: path,
    useHref: `${installPath(app.id)}?saved-configuration=${savedConfiguration.id}`,
    compareHref: `${path}/compare`,
    backHref: savedConfigurationsPath(app.id),
    savedTitle: savedConfiguration.title,
    savedConfigurationTitle: draft.title,
    titleFault: ownFault(faults, 'title'),
    description: draft.description,
    descriptionFault: ownFault(faults, 'description'),
    owners: ownerChoices(me, draft.owner),
    version: draft.version,
    conflict: foreign !== undefined && { paths: foreign.slice(0, MOST_NAMED), more: Math.max(0, foreign.length - MOST_NAMED) },
    unknown: unknownFields(model, contentOfSavedConfiguration(savedConfiguration)),
    earlier: earlier.map(({ version, title, updated }) => ({ version, title, updated, href: `${path}?version=${version}` })),
    shownVersion: draft.shownVersion,
    copied: draft.copied,
  };
}
