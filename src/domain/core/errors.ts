import { ERROR_TABLE } from './error-table.ts';
import type { Unanswered } from '../kubernetes/unanswered.ts';

/** The name of a row of the error table. */
export type ErrorCode = keyof typeof ERROR_TABLE;

/** What an error points at: a field of the input (`spec.storage.size`), or a place in a file. */
export interface FieldFault {
  readonly message: string;
  /** Dotted path from the root of the resource, e.g. `spec.users[0].name`. */
  readonly field?: string;
  readonly file?: string;
  /** Counted from 1. */
  readonly line?: number;
  /** Counted from 1. */
  readonly column?: number;
}

export interface ErrorDetails {
  readonly faults?: readonly FieldFault[];
  /** The permission that is missing, as RBAC names it. */
  readonly missing?: MissingPermission;
  readonly cause?: unknown;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter?: number;
  /** What the api-server called and got no answer from, for `WebhookUnavailable`. */
  readonly unanswered?: Unanswered;
}

/** A permission in the words of Kubernetes RBAC. */
export interface MissingPermission {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** The only error class: a code of the table and a sentence `what: where: why` that a person can act on and that holds no secret. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly title: string;
  readonly faults: readonly FieldFault[];
  readonly missing: MissingPermission | undefined;
  readonly retryAfter: number | undefined;
  readonly unanswered: Unanswered | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = ERROR_TABLE[code].status;
    this.title = ERROR_TABLE[code].title;
    this.faults = details.faults ?? [];
    this.missing = details.missing;
    this.retryAfter = details.retryAfter;
    this.unanswered = details.unanswered;
  }
}

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_TABLE, text);
}

/** Whether `error` is an AppError with one of the codes. */
export function isAppError(error: unknown, ...codes: readonly ErrorCode[]): error is AppError {
  return error instanceof AppError && (codes.length === 0 || codes.includes(error.code));
}

/** A fault as a sentence that stands alone: with its field in front, unless its words name it. */
export function sentenceOfFault({ field, message }: FieldFault): string {
  return field === undefined || message.includes(field) ? message : `${field}: ${message}`;
}

/** The sentence of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
