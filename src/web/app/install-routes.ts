import { Router } from 'express';
import type { FieldFault } from '../../domain/core/errors.ts';
import { splitContent } from '../../domain/instance/instance-content.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import type { NewSecret } from '../../domain/instance/new-secret.ts';
import { parseObjectName } from '../../domain/kubernetes/names.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { pressedOp } from '../../form/input/apply-form-op.ts';
import { fillRequired } from '../../form/input/fill-required.ts';
import { newSecretsOf, splitTyped } from '../../form/input/new-secrets.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { placedForm, withNewVersionChoice } from '../../form/model/app-form.ts';
import { applyPicks } from '../../form/references/apply-picks.ts';
import type { ShownChoices } from '../../form/view/view-context.ts';
import type { WholeForm } from '../../form/yaml/whole-yaml.ts';
import { appIcon, type AppIcon } from './app-card.ts';
import { limitsText } from './app-page.ts';
import { readShownChoices } from './form-choices.ts';
import { presetsView, type PresetsView, presetValues, pressedPreset, shownPreset } from './install-presets.ts';
import {
  faultsOfTexts,
  type InstallLink,
  type SavedConfigurationLink,
  savedConfigurationLinks,
  type ShownSavedConfiguration,
  valuesOfLink,
} from './install-link.ts';
import { resourceOf } from '../../domain/proposal/proposal.ts';
import { type Badge, tierBadge } from '../page/badges.ts';
import { proposed } from '../proposal/proposal-routes.ts';
import { requestApproval } from '../change-request/change-request-routes.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import { commandOf, editForm, type InstanceWrite, kindOf, orCorrect, submitForm } from '../instance/form-commands.ts';
import { faultsOfRejection, ownFault, sealFor, type SealInputs, showForm, type ShownForm } from '../instance/instance-form.ts';
import { hiddenInputs, reviewOf } from '../instance/review.ts';
import type { ReviewYaml } from '../instance/review-yaml.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { appPath, installPath, instancePath, savedConfigurationsPath } from '../page/paths.ts';
import { newValuesView, type ValueChangesView } from '../page/value-changes-view.ts';
import type { InstallTargets } from '../../operation/app/install-choices.ts';
import type { InstanceDraft } from '../../operation/instance/instance-draft.ts';
import { saveValues } from '../saved-configuration/saved-configuration-routes.ts';

/** Where something is installed and how it is called: as was chosen, else as a whole resource in the YAML says. */
interface InstallHead {
  readonly environment: string;
  readonly name: string;
}

/** Installing an App: the form, what would happen, and doing it. Everything that was typed comes back with every answer. */
export function installRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    '/apps/:app/install',
    page(deps, async (visit) => openForm(await startInstall(deps, visit), visit)),
  );
  router.post(
    '/apps/:app/install',
    page(deps, async (visit) => receive(deps, await startInstall(deps, visit), visit)),
  );
  return router;
}

interface Install {
  readonly deps: WebDeps;
  readonly visit: Visit;
  readonly targets: InstallTargets;
  readonly model: FormModel;
}

async function startInstall(deps: WebDeps, visit: Visit): Promise<Install> {
  const targets = await deps.operations.installTargets(visit.actor, visit.param('app'));
  const chosen = chosenEnvironment(targets, visit.body.get('environment') ?? visit.query.get('environment') ?? '');
  const environment = targets.targets.find((target) => target.environment.name === chosen?.name)?.environment;
  const app = withNewVersionChoice(targets.app, targets.chartVersions);
  return { deps, visit, targets, model: placedForm(app, 'create', environment) };
}

/** A link can fill the form: `?environment=team-a&name=orders&preset=small&v.spec.instances=3`. */
async function openForm(install: Install, visit: Visit): Promise<Answer> {
  const { query } = visit;
  const { values, ...started } = await valuesOfLink(install.deps, visit, { app: install.targets.app.id, model: install.model });
  const filled = await runFormJob('valuesToFields', install.model, values);
  const preset = { fields: filled, wanted: query.get('preset') ?? '' };
  const fields = await runFormJob('switchPreset', install.model, install.targets.app.presets, preset);
  const head = { environment: query.get('environment') ?? '', name: query.get('name') ?? '' };
  const savedConfigurations = await savedConfigurationLinks(install.deps, visit, install.targets.app.id);
  return await showDraft(install, { ...head, fields, faults: [], ...started, savedConfigurations });
}

async function receive(deps: WebDeps, started: Install, sent: Visit): Promise<Answer> {
  const { fields, typed: secretValues } = splitTyped(sent.body);
  const body = applyPicks(started.model, fields);
  const visit = { ...sent, body };
  const install = { ...started, visit };
  const resource = install.targets.app;
  const whole = await runFormJob('openWhole', install.model, body, kindOf(resource));
  const head = headOf(install.targets, body, whole);
  const typed = { ...head, fields: body };
  const wanted = pressedPreset(pressedOp(body) ?? '');
  if (wanted !== undefined) {
    const { presets } = install.targets.app;
    const filled = await runFormJob('switchPreset', install.model, presets, { fields: body, wanted });
    return await showDraft(install, { ...typed, fields: filled, faults: [] });
  }
  const edit = await editForm(visit, { model: install.model, resource, base: {}, name: head.name });
  if (edit !== undefined) return edit.kind === 'File' ? edit.file : await showDraft(install, { ...typed, ...edit.draft });
  const { values, faults } = await runFormJob('formToValues', install.model, whole.fields, {});
  const command = commandOf(body);
  if (command === 'keep' || command === 'keep-now')
    return await saveForm(install, visit, { typed, values, faults: [...whole.faults, ...faults] });
  const secrets = newSecretsOf(install.model, whole.fields, { typed: secretValues, writing: command === 'write' });
  const all = [...headFaults(head, install.targets, whole), ...whole.faults, ...faults];
  if (all.length > 0) return await showDraft(install, { ...typed, faults: all });
  return attempt(deps, install, { visit, head, content: fillRequired(install.model, values), secrets });
}

/** Saves what stands in the form; a text that cannot be read is corrected first. */
async function saveForm(
  install: Install,
  visit: Visit,
  {
    typed,
    values,
    faults,
  }: { readonly typed: Omit<InstallDraft, 'faults'>; readonly values: JsonObject; readonly faults: readonly FieldFault[] },
): Promise<Answer> {
  const { app, targets } = install.targets;
  const wrong = faultsOfTexts(visit.body, faults);
  if (wrong.length > 0) return await showDraft(install, { ...typed, faults: wrong });
  const when = commandOf(visit.body) === 'keep' ? 'later' : 'now';
  return await saveValues(install.deps, visit, {
    app,
    values,
    when,
    action: installPath(app.id),
    backHref: '',
    kept: hiddenInputs(install.deps, visit),
    environments: targets.filter(({ permissions }) => permissions.create).map(({ environment }) => environment.name),
  });
}

/** Differences from the defaults, and who set it. */
function changesOf({ targets }: Install, { changes, object }: Preflight, body: URLSearchParams): ValueChangesView {
  return newValuesView(changes, presetValues(targets.app.presets, body, object));
}

/** Submits values that can be read. */
async function attempt(
  { operations }: WebDeps,
  install: Install,
  {
    visit,
    head,
    content,
    secrets,
  }: { readonly visit: Visit; readonly head: InstallHead; readonly content: JsonObject; readonly secrets: readonly NewSecret[] },
): Promise<Answer> {
  const { actor, body } = visit;
  const draft = {
    environment: head.environment,
    app: install.targets.app.id,
    name: head.name.trim(),
    ...splitContent(content),
    ...(secrets.length === 0 ? {} : { secrets }),
  };
  const correct = async (faults: readonly FieldFault[]): Promise<Answer> => await showDraft(install, { ...draft, fields: body, faults });
  const steps: InstanceWrite = {
    ask: async () =>
      secrets.length > 0
        ? await correct(secrets.map(cannotAsk))
        : await requestApproval(install.deps, visit, { ...draft, action: 'install' }),
    propose: async () => await proposed(visit, async (wish) => await operations.proposeInstall(actor, { draft, ...wish })),
    preflight: async () => await operations.preflightInstance(actor, draft),
    write: async () => instancePath(await operations.createInstance(actor, { ...draft, ...visit.requestOrigin })),
    review: async (preflight, typed) => await showReview(install, draft, { preflight, typed }),
    correct,
  };
  try {
    return await submitForm(body, steps);
  } catch (error) {
    return await orCorrect(error, correct);
  }
}

/** Others see what somebody asks them for, and a value that nobody may see has no place there. */
function cannotAsk({ field }: NewSecret): FieldFault {
  const message = 'An approver cannot create this Secret for you: refer to an existing one, and request approval again';
  return { ...(field === undefined ? {} : { field }), message };
}

async function showDraft(install: Install, draft: InstallDraft): Promise<Answer> {
  const { deps, visit, targets, model } = install;
  const { app } = targets;
  const chosen = chosenEnvironment(targets, draft.environment);
  const choices = await readShownChoices(deps.operations, visit.actor, { model, fields: draft.fields, base: {}, environment: chosen });
  const wrong = draft.faults.length > 0;
  return {
    view: 'apps/install',
    title: `${wrong ? 'Error: ' : ''}Install ${app.displayName}`,
    section: 'catalog',
    crumbs: crumbsOf(install, 'Install'),
    model: await installPage(targets, model, { ...draft, choices, seal: sealFor(deps, visit) }),
    ...(wrong ? { status: 422 } : {}),
  };
}

async function showReview(
  install: Install,
  draft: InstanceDraft,
  { preflight, typed }: { readonly preflight: Preflight; readonly typed: ReviewYaml },
): Promise<Answer> {
  const { body } = install.visit;
  const shown = { changes: changesOf(install, preflight, body), typed };
  const sources = await install.deps.operations.listProposalTargets(install.visit.actor, resourceOf(preflight.object));
  const review = reviewOf(preflight, { body, kept: hiddenInputs(install.deps, install.visit), owner: { sources } }, shown);
  const { app, targets } = install.targets;
  const environment = targets.find((target) => target.environment.name === draft.environment)?.environment.displayName ?? draft.environment;
  const linked = { environment: draft.environment, name: draft.name, fields: body };
  const link = await runFormJob('installLink', app.id, install.model, linked);
  const model = { review, link, appName: app.displayName, name: draft.name, environment, action: installPath(app.id) };
  return { view: 'apps/review', title: `Review ${draft.name}`, section: 'catalog', crumbs: crumbsOf(install, 'Review'), model };
}

function crumbsOf({ targets: { app } }: Install, here: string): readonly { label: string; href?: string }[] {
  return [{ label: 'Catalogue', href: '/' }, { label: app.displayName, href: appPath(app.id) }, { label: here }];
}

function headOf({ targets }: InstallTargets, body: URLSearchParams, { name, namespace }: WholeForm): InstallHead {
  const named = targets.find(({ environment }) => environment.namespace === namespace)?.environment.name;
  const typed = body.get('name') ?? '';
  return { environment: body.get('environment') ?? named ?? '', name: typed === '' ? name : typed };
}

/** What is wrong with them, and where a whole resource in the YAML says something else. */
function headFaults({ environment, name }: InstallHead, { targets }: InstallTargets, whole: WholeForm): FieldFault[] {
  const chosen = targets.find((target) => target.environment.name === environment)?.environment;
  const elsewhere = whole.namespace !== '' && chosen?.namespace !== whole.namespace;
  return [
    ...(chosen === undefined ? [{ field: 'environment', message: 'Choose an environment' }] : []),
    ...(chosen !== undefined && elsewhere ? [placeFault(whole.namespace)] : []),
    ...nameFaults(name),
    ...(whole.name !== '' && whole.name !== name.trim() ? [nameFault(whole.name)] : []),
  ];
}

function nameFaults(name: string): readonly FieldFault[] {
  try {
    parseObjectName(name);
    return [];
  } catch (error) {
    return faultsOfRejection(error) ?? [];
  }
}

function placeFault(namespace: string): FieldFault {
  return { field: 'environment', message: `The YAML is for the namespace ${namespace}; choose its environment, or remove that line` };
}

function nameFault(name: string): FieldFault {
  return { field: 'metadata.name', message: `The YAML has the name ${name}; use the same name in both places` };
}

export interface InstallPage extends ShownForm {
  readonly appName: string;
  readonly kind: string;
  readonly icon: AppIcon;
  /** How many instances there may be; empty without limits. */
  readonly limits: string;
  readonly action: string;
  readonly backHref: string;
  readonly parametersHref: string;
  readonly savedConfigurationsHref: string;
  /** Some of them. */
  readonly savedConfigurations: readonly SavedConfigurationLink[];
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
interface InstallDraft {
  readonly environment: string;
  readonly name: string;
  readonly fields: URLSearchParams;
  readonly faults: readonly FieldFault[];
  /** What the fields can refer to in that environment. */
  readonly choices?: ShownChoices;
  readonly savedConfiguration?: ShownSavedConfiguration;
  readonly savedConfigurations?: readonly SavedConfigurationLink[];
}

async function installPage(
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
    limits: limitsText(app),
    action: installPath(app.id),
    backHref: appPath(app.id),
    parametersHref: appPath(app.id, 'parameters'),
    savedConfigurationsHref: savedConfigurationsPath(app.id),
    savedConfigurations: draft.savedConfigurations ?? [],
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
function chosenEnvironment({ targets }: InstallTargets, chosen: string): { name: string; displayName: string } | undefined {
  return environmentChoices(targets, chosen).find(({ selected }) => selected);
}

/** Why nobody can install the app there now; empty when people can. */
function rejectionOf({ environment, allowed }: InstallTargets['targets'][number]): string {
  if (!allowed) return 'The environment does not allow this app.';
  return environment.ready ? '' : 'The environment is still being created.';
}

/** The only possible environment is chosen already. */
function environmentChoices(targets: InstallTargets['targets'], chosen: string): EnvironmentChoice[] {
  const possible = targets.filter((target) => target.permissions.create && rejectionOf(target) === '');
  const only = possible.length === 1 ? possible[0]?.environment.name : undefined;
  return targets.map((target, index) => {
    const { environment, permissions, allowed } = target;
    const rejection = rejectionOf(target);
    return {
      id: index === 0 ? 'environment' : `environment-${index}`,
      name: environment.name,
      displayName: environment.displayName === '' ? environment.name : environment.displayName,
      tier: tierBadge(environment.tier),
      selected: rejection === '' && environment.name === (chosen === '' ? only : chosen),
      rejection,
      note: permissions.create || !allowed ? rejection : 'Your role there does not allow installing apps. You can request approval.',
    };
  });
}
