import { AppError } from '../../../domain/core/errors.ts';
import type { RenderedChart } from '../../../domain/chart/rendered-chart.ts';
import { missingAccessSentence, valuesToAdd } from '../../../domain/preflight/missing-access-text.ts';
import { findMissingAccess } from '../../../domain/preflight/release-permissions.ts';
import type { Work } from '../work.ts';

const MAX_SENTENCES = 20;

/**
 * Asks the api-server whether the controller may do everything that a chart needs, right before something is written: an installation that ends at the first object
 * that is forbidden leaves those before it behind.
 *
 * @throws AppError `PermissionsMissing` that names each permission, and what to add to the values of Chandlery's chart.
 */
export async function rejectMissingAccess({ ports, release, signal }: Work, { objects, crds }: RenderedChart): Promise<void> {
  const { cluster, discovery } = ports;
  const placed = await Promise.all(
    objects.map(async (object) => ({ object, kind: await discovery.find(object.apiVersion, object.kind, signal) })),
  );
  const missing = await findMissingAccess((attributes) => cluster.review(attributes, { signal }), { ...release, objects: placed, crds });
  if (missing.length === 0) return;
  const sentences = missing.slice(0, MAX_SENTENCES).map((one) => `it ${missingAccessSentence(one)}`);
  const more = missing.length > MAX_SENTENCES ? [`and ${missing.length - MAX_SENTENCES} more`] : [];
  throw new AppError(
    'PermissionsMissing',
    `permissions of Chandlery's account: ${[...sentences, ...more].join('; ')}. Nothing was changed. Add to the values of Chandlery's chart: ${valuesToAdd(missing)}`,
  );
}
