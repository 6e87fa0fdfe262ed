import type { Unanswered } from '../kubernetes/unanswered.ts';

/**
 * The one table of errors: what can go wrong, the HTTP status that says so, and a short title. `docs/errors.md` explains each one and
 * what to do about it; `test/architecture.test.ts` keeps the two in step.
 */
export const ERROR_TABLE = {
  InvalidInput: { status: 422, title: 'The input is not valid' },
  MalformedRequest: { status: 400, title: 'The request cannot be read' },
  Unauthenticated: { status: 401, title: 'Sign in first' },
  Forbidden: { status: 403, title: 'Permission denied' },
  CrossSiteRequest: { status: 403, title: 'The request came from another site' },
  NotFound: { status: 404, title: 'Not found' },
  MethodNotAllowed: { status: 405, title: 'This address does not answer that method' },
  AlreadyExists: { status: 409, title: 'A resource of this name exists already' },
  Conflict: { status: 409, title: 'The resource was changed by somebody else' },
  PreconditionFailed: { status: 412, title: 'The resource is not what you last read' },
  UnsupportedMediaType: { status: 415, title: 'This address does not read that kind of body' },
  TooLarge: { status: 413, title: 'The request is too large' },
  MisdirectedRequest: { status: 421, title: 'This server has another name' },
  HeadersTooLarge: { status: 431, title: 'The address or the headers of the request are too long' },
  RequestTimeout: { status: 408, title: 'The request took too long to arrive' },
  QuotaExceeded: { status: 403, title: 'The quota of the environment is used up' },
  AdmissionDenied: { status: 422, title: 'A policy of the cluster refuses this' },
  WebhookUnavailable: { status: 409, title: 'A webhook or API service of the cluster does not answer' },
  LimitReached: { status: 409, title: 'You have as many of these as one person can have' },
  TooManyRequests: { status: 429, title: 'Too many requests' },
  TooBusy: { status: 503, title: 'Too much is going on at once' },
  ClusterUnavailable: { status: 503, title: 'The cluster does not answer' },
  IssuerUnavailable: { status: 503, title: 'The identity provider does not answer' },
  StillInUse: { status: 409, title: 'Something still uses this' },
  ConfigInvalid: { status: 500, title: 'The configuration is not valid' },
  ChartUnreachable: { status: 502, title: 'The chart cannot be fetched' },
  ChartNotFound: { status: 404, title: 'There is no chart at this address' },
  ChartInvalid: { status: 422, title: 'What was fetched is not a usable chart' },
  ChartTooLarge: { status: 422, title: 'The chart is larger than the limits allow' },
  ChartCacheFull: { status: 507, title: 'The chart cache is full' },
  DigestMismatch: { status: 422, title: 'The chart is not the one that was pinned' },
  ChartSecretInvalid: { status: 422, title: 'A Secret that a chart needs cannot be used' },
  ChartUnauthorized: { status: 502, title: 'The chart repository denied access' },
  ChartUnsigned: { status: 422, title: 'The chart is not signed' },
  SignatureInvalid: { status: 422, title: 'The signature of the chart is not one that is trusted' },
  EgressDenied: { status: 403, title: 'The egress policy refuses this address' },
  UpliftRefused: { status: 422, title: 'A legacy API cannot be converted without loss' },
  ValuesInvalid: { status: 422, title: 'Values of the chart are not valid' },
  HelmFailed: { status: 502, title: 'Helm could not do this' },
  NamespaceReserved: { status: 409, title: 'An Operator cannot use this namespace' },
  OperatorDeleting: { status: 409, title: 'The Operator of this app is being deleted' },
  ReleaseTooLarge: { status: 422, title: 'The release does not fit into its Secret' },
  ReleaseConflict: { status: 409, title: 'Somebody else owns this release' },
  ApprovalRefused: { status: 409, title: 'This version cannot be approved' },
  ChangeRequestClosed: { status: 409, title: 'This request is no longer open' },
  UnsafeUpgrade: { status: 409, title: 'A new definition would not fit what is stored' },
  ObjectReserved: { status: 409, title: 'The chart holds objects of Chandlery itself' },
  CrdConflict: { status: 409, title: 'Somebody else owns this kind' },
  ActorMissing: { status: 500, title: 'A call for a user carried no user' },
  Internal: { status: 500, title: 'Something went wrong on our side' },
} as const satisfies Record<string, { status: number; title: string }>;

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
  /** The right that is missing, as RBAC names it. */
  readonly missing?: MissingRight;
  readonly cause?: unknown;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter?: number;
  /** What the api-server called and got no answer from, for `WebhookUnavailable`. */
  readonly unanswered?: Unanswered;
}

/** A right in the words of Kubernetes RBAC. */
export interface MissingRight {
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
  readonly missing: MissingRight | undefined;
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
