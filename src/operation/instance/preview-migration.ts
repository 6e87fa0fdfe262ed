import type { Actor } from '../../domain/kubernetes/actor.ts';
import { schemaOf, versionsOf, type CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import { etagOf } from '../../domain/kubernetes/etag.ts';
import { specVersionOf } from '../../domain/instance/instance.ts';
import { textAt } from '../../domain/core/read.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { SECRET_VALUE } from '../../domain/values/value-change.ts';
import { specSchema } from '../../form/model/app-form.ts';
import { bothViews } from '../../schema/both-views.ts';
import { previewMigration, type Migration } from '../../form/migration/migration.ts';
import { findInstance, versionFor, type InstanceAddress } from './find-instance.ts';
import type { Ports } from '../ports.ts';

/** What moving an Instance to a version of its kind asks somebody to decide. */
export interface InstanceMigration extends Migration {
  readonly version: string;
  /** The version whose values are looked at. */
  readonly from: string;
  /** Every version that the cluster serves. */
  readonly versions: readonly string[];
  /** Of the Instance; see `etagOf`. */
  readonly etag: string;
  /** See `specVersionOf`. */
  readonly specVersion: string;
  /** What the decisions are about: the `spec` of both versions together, or, where the cluster has a converter, as it was converted. */
  readonly values: JsonObject;
}

/**
 * Compares the values of an Instance with the schema of a version, as the actor; without one with that of the App, which tells what does not fit any
 * more. Where the cluster only renames the version of objects, values of both versions together are laid beside the schema of the new one, as each leaves out
 * what it has no place for; where it has a converter, what that makes of them counts.
 *
 * @throws AppError as `findInstance`; `InvalidInput` for a version that is not served.
 */
export async function previewInstanceMigration(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  address: InstanceAddress,
): Promise<InstanceMigration> {
  const { entry, object } = await findInstance(ports, actor, address);
  const version = versionFor(entry, address.version);
  const versions = versionsOf(entry.crd).flatMap(({ name, served }) => (served ? [name] : []));
  const converts = textAt(entry.crd.spec, 'conversion', 'strategy') === 'Webhook';
  const from = converts ? version : otherThan(version, entry, versions);
  const [before, after] = [schemaIn(entry, from), schemaIn(entry, version)];
  const own = specOf(object);
  const values =
    from === version
      ? own
      : bothViews({ target: own, other: specOf((await findInstance(ports, actor, { ...address, version: from })).object), schema: before });
  const preview = previewMigration({ from: before, to: after, values, root: 'spec' });
  return { ...preview, version, from, versions, values, etag: etagOf(object), specVersion: specVersionOf(object) };
}

function specOf({ spec }: KubeObject): JsonObject {
  return (spec ?? {}) as JsonObject;
}

/** A migration as programs see it. */
export type ShownMigration = Omit<InstanceMigration, 'values' | 'specVersion' | 'etag'> & { readonly instanceEtag: string };

/** The same for the eyes of people and programs: without the values of secrets. */
export function shownMigration({
  values: _values,
  specVersion: _specVersion,
  etag: instanceEtag,
  rows,
  ...rest
}: InstanceMigration): ShownMigration {
  return {
    ...rest,
    instanceEtag,
    rows: rows.map((row) => (row.secret && row.value !== undefined ? { ...row, value: SECRET_VALUE } : row)),
  };
}

function otherThan(version: string, { summary }: CatalogEntry, versions: readonly string[]): string {
  return version === summary.version ? (versions.find((name) => name !== version) ?? version) : summary.version;
}

function schemaIn({ crd }: CatalogEntry, version: string): JsonObject {
  return specSchema({ schema: schemaOf(crd, version) });
}
