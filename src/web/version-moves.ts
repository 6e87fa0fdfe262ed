import type { App } from '../domain/app.ts';
import { validateValue } from '../domain/crd-safety/validate-value.ts';
import type { InstanceView } from '../domain/instance.ts';
import { specSchema } from '../schema/app-form.ts';
import { specOf } from './change-page.ts';
import { migrationPath } from './paths.ts';

/** Where an Instance can be moved: to the other versions of its kind, and onto the present schema when its values do not fit that any more. */
export interface VersionMoves {
  readonly moves: readonly { readonly label: string; readonly href: string }[];
  readonly unfit?: { readonly count: string; readonly href: string };
}

export function versionMoves(app: App, instance: InstanceView): VersionMoves {
  const others = app.versions.filter(({ name, served }) => served && name !== app.version);
  const back = others.length === 0 ? [] : [{ label: 'take over what another version holds', href: migrationPath(instance, app.version) }];
  const moves = [...others.map(({ name }) => ({ label: `move to ${name}`, href: migrationPath(instance, name) })), ...back];
  const faults = validateValue(specSchema(app), specOf(instance)).length;
  if (faults === 0) return { moves };
  return { moves, unfit: { count: faults === 1 ? 'one value' : `${faults} values`, href: migrationPath(instance, app.version) } };
}
