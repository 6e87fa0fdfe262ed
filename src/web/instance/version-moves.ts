import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isNewerApiVersion, type App } from '../../domain/app/app.ts';
import { validateValue } from '../../domain/upgrade/crd-safety/validate-value.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import { objectAt } from '../../domain/core/read.ts';
import { specSchema } from '../../form/model/app-form.ts';
import { migrationPath } from '../page/paths.ts';
import type { Operations } from '../../operation/operations.ts';

/** Values that do not fit the present schema: how many, and where to decide about them. */
export interface UnfitValues {
  /** `one value`, `3 values` */
  readonly count: string;
  readonly href: string;
}

/** Where an Instance can be moved: to the newer versions of its kind, and onto the present schema when its values do not fit that any more. */
export interface VersionMoves {
  readonly moves: readonly { readonly label: string; readonly href: string }[];
  readonly unfit?: UnfitValues;
}

export async function versionMoves(
  operations: Pick<Operations, 'previewInstanceMigration'>,
  actor: Actor,
  { app, instance }: { readonly app: App; readonly instance: InstanceView },
): Promise<VersionMoves> {
  const others = app.versions.filter(({ name, served }) => served && name !== app.version);
  const back = others.length === 0 ? [] : [{ label: 'take over what another version holds', href: migrationPath(instance, app.version) }];
  const newer = others.filter(({ name, deprecated }) => !deprecated && isNewerApiVersion(name, app.version));
  const moves = [...newer.map(({ name }) => ({ label: `move to ${name}`, href: migrationPath(instance, name) })), ...back];
  const unfit = await unfitValues(operations, actor, { app, instance });
  return { moves, ...(unfit === undefined ? {} : { unfit }) };
}

/** What does not fit, as after an upgrade of the operator. Where there are several versions, another one may hold more than the present one shows. */
export async function unfitValues(
  operations: Pick<Operations, 'previewInstanceMigration'>,
  actor: Actor,
  { app, instance }: { readonly app: App; readonly instance: InstanceView },
): Promise<UnfitValues | undefined> {
  const isOne = app.versions.filter(({ served }) => served).length <= 1;
  const faults = isOne
    ? validateValue(specSchema(app), objectAt(instance.object, 'spec')).length
    : await countRows(operations, actor, instance);
  if (faults === 0) return undefined;
  return { count: faults === 1 ? 'one value' : `${faults} values`, href: migrationPath(instance, app.version) };
}

async function countRows(operations: Pick<Operations, 'previewInstanceMigration'>, actor: Actor, instance: InstanceView): Promise<number> {
  const { environment, app, name } = instance;
  const { rows } = await operations.previewInstanceMigration(actor, { environment, app, name });
  return rows.filter(({ change }) => change !== 'default').length;
}
