import { AppError, type ErrorCode } from '../domain/core/errors.ts';

/** The rows of the error table that fetching and reading a chart can end in. */
export type ChartErrorCode = Extract<ErrorCode, `Chart${string}` | 'DigestMismatch' | 'EgressDenied' | 'SignatureInvalid'>;

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
