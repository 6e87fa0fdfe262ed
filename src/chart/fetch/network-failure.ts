import { AppError } from '../../domain/core/errors.ts';
import { chartError } from '../chart-error.ts';

/** What a code of Node or undici means, and what to do about it. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [
    /^(ENOTFOUND|EAI_\w+|EINVAL)$/,
    'its host name cannot be resolved; check the address, or serve it with --mirror if this machine has no internet access',
  ],
  [
    /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/,
    'nothing accepts a connection there; check the address, or serve it with --mirror',
  ],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'the connection was not made in time; check the network, or serve it with --mirror'],
  [/^(UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|UND_ERR_ABORTED|ABORT_ERR)$/, 'the server did not answer in time; try again later'],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_DESTROYED|HPE_\w+|HTTPParserError|UND_ERR_RES\w*)$/,
    'the connection broke off before the end; try again',
  ],
  [
    /^(CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|ERR_TLS_\w+|ERR_SSL_\w+|EPROTO)$/,
    'its TLS certificate is not trusted or does not fit, or it wants one of ours; trust its authority with --chart-ca, or with the key ca.crt of the Secret in spec.chart.secretRef',
  ],
  [/^(UND_ERR_\w+|ERR_HTTP_\w+|ERR_INVALID_\w+)$/, 'its answer is not one of HTTP that can be read; check the address'],
];

/** Makes an AppError of what the network threw; an AppError, also one inside, is handed on as it is. */
export function networkFailure(error: unknown, address: string): unknown {
  const known = causesOf(error).find((cause) => cause instanceof AppError);
  if (known !== undefined) return known;
  if (error instanceof Error && error.name === 'TimeoutError') {
    return chartError('ChartUnreachable', address, 'it took too long in all; try again later', error);
  }
  const codes = causesOf(error).map(codeOf);
  const meaning = MEANINGS.find(([pattern]) => codes.some((code) => pattern.test(code)));
  const code = codes.find((candidate) => meaning?.[0].test(candidate) === true);
  return meaning === undefined ? error : chartError('ChartUnreachable', address, `${meaning[1]} (${code ?? ''})`, error);
}

/** The error, its causes, and the parts of an aggregate. */
function causesOf(error: unknown): unknown[] {
  if (!(error instanceof Error)) return [];
  const parts = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return [error, ...parts, ...causesOf(error.cause)];
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code;
  // The parser of HTTP has not always a code.
  return error instanceof Error ? error.name : '';
}
