import { AppError, messageOf } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be looked up now',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'it took too long to answer',
  UND_ERR_BODY_TIMEOUT: 'its answer stopped half-way',
  UND_ERR_SOCKET: 'the connection was closed',
};

/** Connection failures after which the same read may succeed at once on a new connection. */
const RESET_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** A connection that failed, as `ClusterUnavailable`, with a sentence for the usual reasons. */
export function unreachable(what: string, error: unknown): AppError {
  const why = isTimeout(error) ? 'it took too long to answer' : (SENTENCES[codeOf(error) ?? ''] ?? messageOf(error));
  return new AppError('ClusterUnavailable', `${what}: the cluster does not answer: ${why}`, { cause: error });
}

/** Whether the error is a connection that broke in use, not one that never came about. */
export function isReset(error: unknown): boolean {
  return error instanceof AppError && RESET_CODES.has(codeOf(error.cause) ?? '');
}

function codeOf(error: unknown): string | undefined {
  return textAt(error, 'code');
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}
