import { AppError } from '../domain/core/errors.ts';
import type { ChartSource } from '../domain/operator/operator-spec.ts';
import { chartError, shownAddress } from './chart-error.ts';

/**
 * Runs what fetches from a source. An address with user or password is rejected, because everybody who may read the Operator would read them; what the
 * operating system says of a file that is odd (a folder, a name that is too long) becomes a sentence.
 *
 * @throws AppError `InvalidInput`, `ChartUnreachable`, and whatever the task throws.
 */
export async function fromSource<T>(source: ChartSource, task: () => Promise<T>): Promise<T> {
  const address = source.kind === 'url' ? source.url : source.repoURL;
  if (holdsCredentials(address)) {
    const why = 'an address must not hold a user or password, because everybody who may read the Operator reads them';
    throw new AppError(
      'InvalidInput',
      `chart: ${shownAddress(address)}: ${why}; put them into a Secret and name it in spec.chart.secretRef`,
    );
  }
  try {
    return await task();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (error instanceof AppError || !/^E[A-Z]+$/.test(code)) throw error;
    throw chartError('ChartUnreachable', address, `what is there cannot be read (${code}); check the address`, error);
  }
}

/** As the CRD says it (`x-kubernetes-validations`): an `@` before the path, however many slashes stand first. */
function holdsCredentials(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:[/\\]*[^/\\?#]*@/i.test(address);
}
