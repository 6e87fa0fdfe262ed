import type { MigrationChange } from '../../domain/upgrade/preview/value-rows.ts';
import type { AffectedInstance, AffectedInstances } from '../../domain/upgrade/preview/upgrade-preview.ts';
import { instancePath } from '../page/paths.ts';
import { plural } from '../page/view-helpers.ts';

/** What a changed CRD will ask about stored instances. */
export interface AffectedView {
  readonly sentence: string;
  readonly rows: readonly {
    readonly what: string;
    readonly fields: readonly string[];
    readonly more: string;
    readonly instances: number;
  }[];
  readonly instances: readonly { readonly name: string; readonly href: string; readonly what: string }[];
  /** Empty when all are named. */
  readonly more: string;
}

const WORDS: Readonly<Record<MigrationChange, string>> = {
  removed: 'Values without a field',
  renamed: 'Values without a field, with a similar new field',
  required: 'New required fields',
  default: 'Changed defaults of empty fields',
  type: 'Values of a wrong type',
  narrowed: 'Values out of the new limits',
};
const SHORT: Readonly<Record<MigrationChange, string>> = {
  removed: 'removed',
  renamed: 'renamed',
  required: 'required',
  default: 'with another default',
  type: 'of another type',
  narrowed: 'beyond the limits',
};

const LOSS = ' Values without a field are dropped with the next write of their instance: record them, or change these instances first.';

/** @param app the name of the CRD. */
export function affectedView(app: string, { changes, total, instances }: AffectedInstances): AffectedView {
  const unnamed = total - instances.length;
  const loses = changes.some(({ change }) => change === 'removed' || change === 'renamed');
  return {
    sentence: `Decisions are needed about fields of ${plural(total, 'instance', 'instances')}. Their pages offer the options after the upgrade.${loses ? LOSS : ''}`,
    rows: changes.map(({ change, fields, fieldCount, instances }) => ({
      what: WORDS[change],
      fields,
      more: fieldCount > fields.length ? `and ${fieldCount - fields.length} more` : '',
      instances,
    })),
    instances: instances.map((instance) => ({ ...nameOf(app, instance), what: whatOf(instance) })),
    more: unnamed > 0 ? `${plural(unnamed, 'more instance is', 'more instances are')} not listed.` : '',
  };
}

function nameOf(app: string, { namespace, environment, name }: AffectedInstance): { readonly name: string; readonly href: string } {
  if (environment === undefined) return { name: namespace === undefined ? name : `${namespace}/${name}`, href: '' };
  return { name: `${environment}/${name}`, href: instancePath({ environment, app, name }) };
}

/** `2 removed, 1 required` */
function whatOf({ rows }: AffectedInstance): string {
  return rows.map(({ change, count }) => `${count} ${SHORT[change]}`).join(', ');
}
