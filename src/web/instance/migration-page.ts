import type { FieldFault } from '../../domain/core/errors.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { SECRET_VALUE } from '../../domain/values/value-change.ts';
import type { ValueRow } from '../../domain/upgrade/preview/value-rows.ts';
import type { Decisions } from '../../form/migration/decide-migration.ts';
import { idOfPath, parsePath } from '../../schema/form-path.ts';
import type { MigrationRow } from '../../form/migration/migration.ts';
import { writeYaml } from '../../schema/yaml-text.ts';
import { migrationPath, instancePath } from '../page/paths.ts';
import type { InstanceMigration } from '../../operation/instance/preview-migration.ts';

const LONGEST = 120;

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
export function decisionsIn(body: URLSearchParams, rows: readonly MigrationRow[]): Decisions {
  return Object.fromEntries(
    rows.map(({ path }) => {
      const choice = body.get(`d.${path}`) ?? '';
      return [path, choice === 'set' ? `set:${(body.get(`t.${path}`) ?? '').replaceAll('\r\n', '\n')}` : choice];
    }),
  );
}

export function migrationPage(
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
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
