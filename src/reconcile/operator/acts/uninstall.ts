import { SKIP_HOOKS } from '../../../domain/operator/operator-spec.ts';
import { withReleaseLease } from './with-release-lease.ts';
import type { Work } from '../work.ts';

/** Uninstalls the release of an Operator that is being deleted; without the hooks of its chart where the Operator says so. */
export async function uninstall(work: Work): Promise<'Done' | 'Busy'> {
  const { ports, release, operator } = work;
  const hooks = operator.metadata.annotations?.[SKIP_HOOKS] === 'true' ? ({ hooks: 'skipped' } as const) : {};
  const outcome = await withReleaseLease(work, (signal) => ports.helm.uninstall({ ...release, ...hooks }, signal));
  if (outcome === 'Done') ports.log.info('The release of an Operator was uninstalled', { operator: operator.metadata.name, ...release });
  return outcome;
}
