import { AppError, type ErrorCode } from '../../domain/core/errors.ts';
import { redact } from '../../domain/core/secret.ts';

const AWAY: ReadonlySet<ErrorCode> = new Set(['ClusterUnavailable', 'TooManyRequests']);

/** Trying again does not change these; a new spec, a new chart or a person does. */
const TERMINAL: ReadonlySet<ErrorCode> = new Set([
  'ChartNotFound',
  'ChartInvalid',
  'ChartTooLarge',
  'DigestMismatch',
  'ChartUnsigned',
  'SignatureInvalid',
  'EgressDenied',
  'UpliftFailed',
  'CrdConflict',
  'ObjectReserved',
  'ResourceNotAllowed',
  'UnsafeUpgrade',
  'NamespaceReserved',
  'ReleaseConflict',
  'ReleaseRecordChanged',
  'ReleaseTooLarge',
  'InvalidInput',
  'AdmissionDenied',
]);

/** Whether trying again ends the same way, until a spec, a chart or a person changes something. */
export function isTerminal(code: ErrorCode): boolean {
  return TERMINAL.has(code);
}

/** Whether the cluster did not answer, so that nothing was learnt about the release. */
export function isUnavailable({ code }: AppError): boolean {
  return AWAY.has(code);
}

/** What a chart renders may hold a secret in any place, so in an object's name, too. */
export function withoutSecrets(error: AppError, secrets: readonly string[]): AppError {
  const message = redact(error.message, secrets);
  return message === error.message ? error : new AppError(error.code, message);
}
