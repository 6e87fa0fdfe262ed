import type { FieldFault } from '../../domain/core/errors.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { appIcon, type AppIcon } from './app-card.ts';
import { type Badge, tierBadge } from '../page/badges.ts';
import type { ShownChoices } from '../../form/view/view-context.ts';
import type { InstallLink, ShownSavedConfiguration } from './install-link.ts';
import { presetsView, shownPreset, type PresetsView } from './install-presets.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import { ownFault, type SealInputs, showForm, type ShownForm } from '../instance/instance-form.ts';
import { appPath, installPath, savedConfigurationsPath } from '../page/paths.ts';
import type { InstallTargets } from '../../operation/app/install-targets.ts';

export interface InstallPage extends ShownForm {
  readonly appName: string;
  readonly kind: string;
  readonly icon: AppIcon;
  readonly action: string;
  readonly backHref: string;
  readonly parametersHref: string;
  readonly savedConfigurationsHref: string;
  /** The saved configuration that the form starts from. */
  readonly savedConfiguration?: ShownSavedConfiguration;
  readonly environments: readonly EnvironmentChoice[];
  /** Whether there is any environment that this can be installed in. */
  readonly possible: boolean;
  /** Whether fields can be picked from what the environment has. */
  readonly picks: boolean;
  readonly environmentFault: string;
  readonly name: string;
  readonly nameFault: string;
  /** False without any. */
  readonly presets: PresetsView | false;
  readonly link: InstallLink;
}

export interface EnvironmentChoice {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly tier: Badge;
  readonly selected: boolean;
  /** Why it cannot be chosen; empty when it can. */
  readonly rejection: string;
  /** What to know before it is chosen: why it cannot be, or that the permission is missing; empty when there is nothing. */
  readonly note: string;
}

/** What somebody has typed so far. */
export interface InstallDraft {
  readonly environment: string;
  readonly name: string;
  readonly fields: URLSearchParams;
  readonly faults: readonly FieldFault[];
  /** What the fields can refer to in that environment. */
  readonly choices?: ShownChoices;
  readonly savedConfiguration?: ShownSavedConfiguration;
}

export async function installPage(
  { app, targets }: InstallTargets,
  model: FormModel,
  draft: InstallDraft & { readonly seal: SealInputs },
): Promise<InstallPage> {
  const environments = environmentChoices(targets, draft.environment);
  const { faults, choices, environment, name, fields } = draft;
  const linked = { environment, name, fields };
  const shown = await showForm(model, draft.fields, {
    faults,
    base: {},
    seal: draft.seal,
    ...(choices === undefined ? {} : { choices }),
    ...shownPreset(app.presets, draft.fields),
  });
  return {
    ...shown,
    appName: app.displayName,
    kind: app.kind,
    icon: appIcon(app),
    action: installPath(app.id),
    backHref: appPath(app.id),
    parametersHref: appPath(app.id, 'parameters'),
    savedConfigurationsHref: savedConfigurationsPath(app.id),
    ...(draft.savedConfiguration === undefined ? {} : { savedConfiguration: draft.savedConfiguration }),
    environments,
    possible: environments.some(({ note }) => note === ''),
    picks: shown.resources.length > 0 || targets.some(({ environment }) => environment.overlay.some((one) => one.app === app.id)),
    environmentFault: ownFault(draft.faults, 'environment'),
    name: draft.name,
    nameFault: ownFault(draft.faults, 'metadata.name'),
    link: await runFormJob('installLink', app.id, model, linked),
    presets: app.presets.length > 0 && presetsView(app.presets, draft.fields),
  };
}

/** The environment that is chosen on the page. */
export function chosenEnvironment({ targets }: InstallTargets, chosen: string): { name: string; displayName: string } | undefined {
  return environmentChoices(targets, chosen).find(({ selected }) => selected);
}

/** The only possible environment is chosen already. */
function environmentChoices(targets: InstallTargets['targets'], chosen: string): EnvironmentChoice[] {
  const possible = targets.filter(({ environment, permissions }) => permissions.create && environment.ready);
  const only = possible.length === 1 ? possible[0]?.environment.name : undefined;
  return targets.map(({ environment, permissions }, index) => {
    const rejection = environment.ready ? '' : 'The environment is still being created.';
    return {
      id: index === 0 ? 'environment' : `environment-${index}`,
      name: environment.name,
      displayName: environment.displayName === '' ? environment.name : environment.displayName,
      tier: tierBadge(environment.tier),
      selected: rejection === '' && environment.name === (chosen === '' ? only : chosen),
      rejection,
      note: permissions.create ? rejection : 'Your role there does not allow installing apps. You can request approval.',
    };
  });
}
