import { textAt } from '../domain/core/read.ts';
import { AppError } from '../domain/core/errors.ts';

/**
 * Anything thrown as an error of the table. What Express and its body readers complain about is the caller's fault and is named;
 * everything unknown becomes `Internal`, whose sentence tells nothing of the inside.
 */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const status = statusOf(error);
  if (status >= 400 && status < 500) return callersFault(error, status);
  return new AppError('Internal', 'We could not finish this. Try again; if it happens again, tell an admin the request id.', {
    cause: error,
  });
}

/** The status that Express and its body readers put on what they throw, on the error or on its class. */
function statusOf(error: unknown): number {
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : 500;
}

function callersFault(cause: unknown, status: number): AppError {
  if (status === 413) return new AppError('TooLarge', 'request: the body is too large', { cause });
  if (status === 404) return new AppError('NotFound', 'address: there is nothing here', { cause });
  if (status === 405) return new AppError('MethodNotAllowed', 'address: it does not answer this method', { cause });
  return new AppError('MalformedRequest', sentenceOf(cause), { cause });
}

/** The sentence of the library may quote the body, so we say it in our own words. */
function sentenceOf(error: unknown): string {
  const type = textAt(error, 'type') ?? '';
  if (type === 'entity.parse.failed') return 'request: the body is not valid JSON, or is neither an object nor a list';
  if (type.startsWith('charset.')) return 'request: the body must be UTF-8';
  if (type.startsWith('encoding.')) return 'request: the body is compressed in a way that we do not read';
  if (type.startsWith('request.')) return 'request: the body ended before its announced length';
  return error instanceof URIError ? 'address: it is not valid percent-encoding' : 'request: it cannot be read';
}
