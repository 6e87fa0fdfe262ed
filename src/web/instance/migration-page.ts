import { Router } from 'express';
import type { FieldFault } from '../../domain/core/errors.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { InstanceView, Preflight } from '../../domain/instance/instance.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { SECRET_VALUE } from '../../domain/values/value-change.ts';
import type { ValueRow } from '../../domain/upgrade/preview/value-rows.ts';
import { decideMigration, type Decisions } from '../../form/migration/decide-migration.ts';
import { idOfPath, parsePath } from '../../schema/form-path.ts';
import type { MigrationRow } from '../../form/migration/migration.ts';
import { writeYaml } from '../../schema/yaml-text.ts';
import { faultsOfRejection } from './instance-form.ts';
import { addressOf, instanceCrumbs } from './instance-routes.ts';
import { findingsView, type FindingsView } from '../page/findings-view.ts';
import { missingSentence } from '../page/message-page.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { instancePath, migrationPath } from '../page/paths.ts';
import type { InstanceMigration } from '../../operation/instance/preview-migration.ts';

const MAX_LENGTH = 120;

/** A row with its choices, as radio buttons of one name. */
export interface MigrationRowView {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  /** A sentence. */
  readonly why: string;
  /** What is there now; empty when nothing is, or when it is a secret. */
  readonly now: string;
  readonly error: string;
  readonly options: readonly { readonly id: string; readonly value: string; readonly label: string; readonly selected: boolean }[];
  /** The input for another value; empty where none can be given. */
  readonly textName: string;
  readonly textId: string;
  readonly text: string;
}

export interface MigrationPage {
  readonly name: string;
  readonly appName: string;
  readonly version: string;
  /** Empty when the values are looked at in the same version. */
  readonly from: string;
  readonly others: number;
  readonly rows: readonly MigrationRowView[];
  readonly errors: readonly { readonly message: string; readonly href: string }[];
  readonly action: string;
  readonly backHref: string;
  readonly specVersion: string;
}

/** What was chosen in the page: `d.<path>` is the choice, `t.<path>` the text of another value. */
function decisionsIn(body: URLSearchParams, rows: readonly MigrationRow[]): Decisions {
  return Object.fromEntries(
    rows.map(({ path }) => {
      const choice = body.get(`d.${path}`) ?? '';
      return [path, choice === 'set' ? `set:${(body.get(`t.${path}`) ?? '').replaceAll('\r\n', '\n')}` : choice];
    }),
  );
}

function migrationPage(
  instance: InstanceView,
  migration: InstanceMigration,
  draft: { readonly body: URLSearchParams; readonly faults: readonly FieldFault[] },
): MigrationPage {
  const { version, from, others, specVersion } = migration;
  const rows = migration.rows.map((row) => rowView(row, draft));
  return {
    name: instance.name,
    appName: instance.appName,
    version,
    from: from === version ? '' : from,
    others,
    rows,
    errors: errorsOf(draft.faults, rows),
    action: migrationPath(instance, version),
    backHref: instancePath(instance),
    specVersion,
  };
}

/** What is wrong, each with a link to its row. */
export function errorsOf(faults: readonly FieldFault[], rows: readonly MigrationRowView[]): MigrationPage['errors'] {
  return faults.map(({ field, message }) => ({
    message: field === undefined ? message : `${field}: ${message}`,
    href: rows.find(({ path }) => path === field)?.options[0]?.id.replace(/^/, '#') ?? '#decisions',
  }));
}

/** A row with what was chosen so far, or what is suggested. */
export function rowView(
  row: ValueRow,
  { body, faults }: { readonly body: URLSearchParams; readonly faults: readonly FieldFault[] },
): MigrationRowView {
  const id = idOfPath(parsePath(row.path) ?? [row.path]);
  const chosen = body.get(`d.${row.path}`) ?? suggested(row);
  const takesText = row.options.includes('set');
  return {
    id,
    name: `d.${row.path}`,
    path: row.path,
    why: sentenceOf(row),
    now: row.value === undefined ? '' : row.secret ? SECRET_VALUE : shorten(row.value),
    error: faults
      .filter(({ field }) => field === row.path)
      .map(({ message }) => message)
      .join('. '),
    options: row.options.map((option, index) => ({
      id: `${id}--${index}`,
      value: option,
      label: labelOf(row, option),
      selected: option === chosen,
    })),
    textName: takesText ? `t.${row.path}` : '',
    textId: `${id}--text`,
    text: body.get(`t.${row.path}`) ?? (row.secret || row.value === undefined ? '' : writeYaml(row.value).trimEnd()),
  };
}

/** A default that changes is taken, what looks renamed is moved, and a value that is missing has to be given; a loss is never chosen for anybody. */
function suggested({ change, options }: ValueRow): string {
  if (change === 'renamed' || change === 'default') return options[0] ?? '';
  return change === 'required' ? 'set' : '';
}

function sentenceOf({ change, message, from, to }: ValueRow): string {
  if (change === 'default') return `No value is set, and the default changes from ${shorten(from ?? null)} to ${shorten(to ?? null)}.`;
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

function labelOf({ from, to, change }: ValueRow, option: string): string {
  if (option.startsWith('move:')) return `Move the value to ${option.slice('move:'.length)}`;
  if (option === 'remove') return 'Remove the value';
  if (option === 'leave') return 'Keep the value without effect';
  if (option === 'take') return `Follow the new default, ${shorten(to ?? null)}`;
  return option === 'keep' ? `Set it to the old default, ${shorten(from ?? null)}` : change === 'required' ? 'Set it' : 'Set another value';
}

function shorten(value: Json): string {
  const text = stringifyJson(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

const ROUTE = '/environments/:environment/instances/:app/:name/migration';

/** Moving an Instance to another version of its kind, or to the present schema: each field that needs it is decided, then written once. */
export function migrationRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ROUTE,
    page(deps, async (visit) => show(await start(deps, visit), { body: visit.body, faults: [] })),
  );
  router.post(
    ROUTE,
    page(deps, async (visit) => await decide(deps, await start(deps, visit))),
  );
  return router;
}

interface MigrationContext {
  readonly visit: Visit;
  readonly instance: InstanceView;
  readonly environment: EnvironmentView;
  readonly migration: InstanceMigration;
}

interface Draft {
  readonly body: URLSearchParams;
  readonly faults: readonly FieldFault[];
  /** What would happen, and the same for automation. */
  readonly outcome?: { readonly findings: FindingsView; readonly commands: readonly { readonly label: string; readonly text: string }[] };
}

async function start({ operations }: WebDeps, visit: Visit): Promise<MigrationContext> {
  const address = { ...addressOf(visit), version: visit.query.get('version') ?? '' };
  const [instance, environment, migration] = await Promise.all([
    operations.showInstance(visit.actor, address),
    operations.showEnvironment(visit.actor, address.environment),
    operations.previewInstanceMigration(visit.actor, address),
  ]);
  return { visit, instance, environment, migration };
}

/** Writes when everything is decided, nothing stands against it, and it was asked for; shows what would happen otherwise. */
async function decide({ operations }: WebDeps, context: MigrationContext): Promise<Answer> {
  const { visit, migration } = context;
  const { body, actor } = visit;
  const { values: spec, faults } = decideMigration(migration.values, migration.rows, decisionsIn(body, migration.rows));
  if (faults.length > 0) return show(context, { body, faults });
  const change = { ...addressOf(visit), version: migration.version, spec, specVersion: body.get('specVersion') ?? '' };
  try {
    const preflight = await operations.preflightChange(actor, change);
    if (preflight.verdict === 'Ready' && body.get('_do') === 'move') {
      return { redirect: instancePath(await operations.updateInstance(actor, { ...change, ...visit.requestOrigin })) };
    }
    return show(context, { body, faults: [], outcome: outcomeOf(preflight) });
  } catch (error) {
    const rejected = faultsOfRejection(error);
    if (rejected === undefined) throw error;
    return show(context, { body, faults: rejected });
  }
}

function outcomeOf({ findings, missing, commands }: Preflight): NonNullable<Draft['outcome']> {
  const lacking = missing.map(
    (permission) => ({ message: missingSentence(permission), subject: 'Permission', evidence: 'exact' }) as const,
  );
  return {
    findings: findingsView({ ...findings, blocked: lacking.length > 0 ? lacking : findings.blocked }),
    commands: [
      { label: 'Resource to apply', text: commands.yaml },
      { label: 'With kubectl', text: commands.kubectl },
      { label: 'With curl', text: commands.curl },
    ],
  };
}

function show({ instance, environment, migration }: MigrationContext, { outcome, ...draft }: Draft): Answer {
  const wrong = draft.faults.length > 0;
  return {
    view: 'environments/instances/migration',
    title: `${wrong ? 'Error: ' : ''}Move ${instance.name} to ${migration.version}`,
    section: 'environments',
    crumbs: instanceCrumbs(instance, environment, `Move to ${migration.version}`),
    model: { ...migrationPage(instance, migration, draft), ...outcome },
    ...(wrong ? { status: 422 } : {}),
  };
}
