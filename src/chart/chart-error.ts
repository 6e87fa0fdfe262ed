import { AppError, type ErrorCode } from '../domain/core/errors.ts';
import type { ChartSource } from '../domain/operator/operator-spec.ts';

/** The rows of the error table that fetching and reading a chart can end in. */
type ChartErrorCode = Extract<ErrorCode, `Chart${string}` | 'DigestMismatch' | 'EgressDenied' | 'SignatureInvalid'>;

/** An error about the chart at an address, which is shown without what could be a secret in it. */
export function chartError(code: ChartErrorCode, address: string, why: string, cause?: unknown): AppError {
  return new AppError(code, `chart: ${shownAddress(address)}: ${why}`, cause === undefined ? {} : { cause });
}

/** An address without user, password, query and fragment: each of them can hold a token. Anything else is shown as it is. */
export function shownAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null) return JSON.stringify(address);
  return `${url.protocol}//${url.host}${url.pathname}`;
}

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
