import { holdRelease } from './hold-release.ts';
import type { Work } from '../work.ts';

/** Uninstalls the release of an Operator that is being deleted. */
export async function uninstall(work: Work): Promise<'Done' | 'Busy'> {
  const { ports, release, operator } = work;
  const outcome = await holdRelease(work, (signal) => ports.helm.uninstall(release, signal));
  if (outcome === 'Done') ports.log.info('The release of an Operator was uninstalled', { operator: operator.metadata.name, ...release });
  return outcome;
}
