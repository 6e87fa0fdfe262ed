import type { UpgradePreview } from '../../domain/upgrade/preview/upgrade-preview.ts';
import type { ForeignValueRow } from '../../domain/upgrade/preview/value-rows.ts';
import type { Decisions } from '../../form/migration/decide-migration.ts';
import { errorsOf, rowView, type MigrationRowView } from '../instance/migration-page.ts';

/** What a new chart asks about the values of an Operator. */
export interface ValueDecisionsView {
  readonly action: string;
  readonly version: string;
  readonly digest: string;
  readonly rows: readonly MigrationRowView[];
  /** Defaults that change; they are followed unless somebody says otherwise. */
  readonly defaults: readonly MigrationRowView[];
  readonly defaultsOpen: boolean;
  readonly elsewhere: readonly { readonly path: string; readonly why: string; readonly origin: string }[];
  /** The source whose file has to be changed; empty where the values can be changed here. */
  readonly source: string;
  /** Whether there is anything to decide here. */
  readonly asks: boolean;
  readonly decided: boolean;
  /** `spec.values` as they become; empty while nothing is decided. */
  readonly yaml: string;
  /** Whether the version can be approved together with the values. */
  readonly approve: boolean;
  readonly errors: readonly { readonly message: string; readonly href: string }[];
}

/** What was chosen in the page; undefined when the page asked nothing. */
export function decisionsOf(body: URLSearchParams): Decisions | undefined {
  const chosen = [...body].filter(([name]) => name.startsWith('d.'));
  if (chosen.length === 0 && !body.has('_do')) return undefined;
  return Object.fromEntries(
    chosen.map(([name, choice]) => {
      const path = name.slice(2);
      return [path, choice === 'set' ? `set:${(body.get(`t.${path}`) ?? '').replaceAll('\r\n', '\n')}` : choice];
    }),
  );
}

/** @param mayApprove whether this version waits for an approval that the person may give. */
export function valueDecisionsView(
  { decisions, to }: UpgradePreview,
  { action, body, mayApprove }: { readonly action: string; readonly body: URLSearchParams; readonly mayApprove: boolean },
): ValueDecisionsView | undefined {
  const { state, faults, source = '', yaml = '' } = decisions;
  if (state === 'None') return undefined;
  const views = decisions.rows.map((row) => ({ row, view: rowView(row, { body, faults }) }));
  const defaults = views.filter(({ row }) => row.change === 'default').map(({ view }) => view);
  const rows = views.filter(({ row }) => row.change !== 'default').map(({ view }) => view);
  return {
    action,
    version: to.version,
    digest: to.digest,
    rows,
    defaults,
    defaultsOpen: defaults.some(
      ({ error, options }) => error !== '' || options.some(({ value, selected }) => value === 'keep' && selected),
    ),
    elsewhere: decisions.otherLayers.map((row) => ({ path: row.path, why: foreignSentence(row), origin: row.origin })),
    source,
    asks: views.length > 0,
    decided: state === 'Complete',
    yaml,
    approve: mayApprove && source === '' && decisions.rows.length > 0,
    errors: errorsOf(faults, [...rows, ...defaults]),
  };
}

function foreignSentence({ message }: ForeignValueRow): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
