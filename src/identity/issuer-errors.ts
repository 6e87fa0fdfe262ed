import { errors as jose } from 'jose';
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { at, isObject, textAt } from '../domain/core/read.ts';

const AWAY_CODES = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);
const OUR_FAULT = new Set(['invalid_client', 'unauthorized_client', 'invalid_scope', 'unsupported_grant_type']);

/** The issuer cannot be used: it does not answer, or not as the issuer that is configured. */
export function issuerUnavailable(issuer: URL, cause: unknown): AppError {
  const itself = textAt(cause, 'code') === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED' ? textAt(cause, 'cause', 'body', 'issuer') : undefined;
  const message =
    itself === undefined
      ? `The identity provider at ${issuer.href} does not answer (${whyAway(cause)}). Try again in a moment`
      : `The identity provider at ${issuer.href} calls itself ${JSON.stringify(itself)}: an admin must set the issuer to exactly that`;
  return new AppError('IssuerUnavailable', message, { cause, retryAfter: 5 });
}

function whyAway(cause: unknown): string {
  const status = httpStatus(cause);
  if (status !== undefined) return `HTTP ${status}`;
  return textAt(cause, 'cause', 'code') ?? textAt(cause, 'code') ?? messageOf(cause);
}

/** The answer is of whichever `fetch` asked, and so of no class that is known here. */
function httpStatus(cause: unknown): number | undefined {
  const answer = at(cause, 'cause');
  return isObject(answer) && typeof answer.status === 'number' ? answer.status : undefined;
}

/** Whether an issuer that is there failed at one request (HTTP 500), which says nothing about those of others. */
export function isFaultOfOneRequest(error: AppError): boolean {
  return httpStatus(error.cause) === 500;
}

/** What went wrong between us and the issuer as an error of the table: it is away, it rejected us, or it rejected the person. */
export function issuerFault(issuer: URL, error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isUnavailable(error)) return issuerUnavailable(issuer, error);
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) return rejection(error);
  const message = 'sign-in: the answer of the identity provider does not belong to this sign-in. Sign in again';
  return new AppError('Unauthenticated', message, { cause: error });
}

/** Whether nothing came back that could be an answer; `fetch` throws a TypeError then. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof jose.JWKSTimeout || error instanceof jose.JWKSInvalid) return true;
  if (error instanceof jose.JOSEError) return error.code === 'ERR_JOSE_GENERIC';
  if (error instanceof ClientError) return AWAY_CODES.has(error.code ?? '') || error.cause instanceof TypeError;
  return (error instanceof TypeError && error.message === 'fetch failed') || textAt(error, 'name') === 'TimeoutError';
}

function rejection(cause: ResponseBodyError | AuthorizationResponseError): AppError {
  const word = JSON.stringify(cause.error.slice(0, 100));
  if (OUR_FAULT.has(cause.error)) {
    return new AppError(
      'ConfigInvalid',
      `sign-in: the identity provider rejects Chandlery's client (${word}): an admin must check its settings`,
      { cause },
    );
  }
  if (cause.error === 'access_denied') {
    return new AppError('Unauthenticated', 'sign-in: it was cancelled, or the identity provider denied access (access_denied)', {
      cause,
    });
  }
  const advice = 'it may be used or expired. Sign in again';
  return new AppError('Unauthenticated', `sign-in: the identity provider rejected it (${word}): ${advice}`, { cause });
}
