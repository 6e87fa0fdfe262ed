import { AppError, type ErrorCode, type ErrorDetails, type FieldFault, messageOf, sentenceOfFault } from '../../domain/core/errors.ts';
import { at, listAt, numberAt, textAt } from '../../domain/core/read.ts';
import { readUnanswered, type Unanswered, unansweredSentence } from '../../domain/kubernetes/unanswered.ts';
import type { Call } from './call.ts';
import { plainFault, strictFaults, typedPatchFaults } from './field-faults.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** An object with thousands of faults is as wrong with a hundred of them, and somebody has to read them. */
const MAX_FAULTS = 100;
/** Characters of what the api-server says that are looked at. */
const MAX_MESSAGE_LENGTH = 64 * 1024;
const MAX_SENTENCE_LENGTH = 8 * 1024;

/** What the api-server said, apart from the words. */
interface StatusAnswer {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly FieldFault[];
  readonly retryAfter: number | undefined;
}

/** The AppError for an answer of 400 and above: a `metav1.Status`, or whatever a proxy said instead. */
export function statusError(
  call: Pick<Call, 'what' | 'permission'> & Partial<Pick<Call, 'path'>>,
  answer: { statusCode: number; headers: Headers },
  text: string,
): AppError {
  const status = readStatus(answer, text);
  const verdict = classifyUnavailable(call.path ?? '', status) ?? classify(status);
  const faults = bounded(verdict.faults ?? status.causes);
  const details: ErrorDetails = {
    faults,
    ...(verdict.code === 'Forbidden' && call.permission !== undefined ? { missing: call.permission } : {}),
    ...(status.retryAfter === undefined || verdict.unanswered !== undefined ? {} : { retryAfter: status.retryAfter }),
    ...(verdict.unanswered === undefined ? {} : { unanswered: verdict.unanswered }),
  };
  return new AppError(verdict.code, `${call.what}: ${cut(verdict.sentence ?? status.message, MAX_SENTENCE_LENGTH)}`, details);
}

function bounded(faults: readonly FieldFault[]): readonly FieldFault[] {
  if (faults.length <= MAX_FAULTS) return faults;
  return [...faults.slice(0, MAX_FAULTS), { message: `There are more than ${MAX_FAULTS} faults; correct these first` }];
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}

interface Classified {
  readonly code: ErrorCode;
  readonly sentence?: string;
  readonly faults?: readonly FieldFault[];
  readonly unanswered?: Unanswered;
}

/** A webhook, or the server behind an APIService, did not answer the api-server, which is well itself. */
function classifyUnavailable(path: string, { code, message }: StatusAnswer): Classified | undefined {
  if (code < 500) return undefined;
  const unanswered = readUnanswered(message) ?? apiServiceOf(path, code, message);
  if (unanswered === undefined) return undefined;
  const sentence = unansweredSentence(unanswered);
  return { code: 'WebhookUnavailable', sentence, faults: [{ message: sentence }], unanswered };
}

/** What the aggregator says in place of a server that it does not reach. */
function apiServiceOf(path: string, code: number, message: string): Unanswered | undefined {
  const [, group, version] = /^\/apis\/([^/?]+)\/([^/?]+)/.exec(path) ?? [];
  const isUnavailable = message === 'service unavailable' || message.startsWith('error trying to reach service');
  if (code !== 503 || !isUnavailable || group === undefined) return undefined;
  return { kind: 'APIService', name: `${version ?? ''}.${group}`, why: message };
}

function classify(status: StatusAnswer): Classified {
  return classifyAdmission(status) ?? classifyInvalid(status) ?? classifyCode(status);
}

/** Rejections of admission come with several codes; only their words tell them apart from missing permissions. */
function classifyAdmission({ code, reason, message, causes }: StatusAnswer): Classified | undefined {
  const impersonation = /cannot impersonate(?::[\w-]+|-on:(?!user-info:)\S+)? resource/.exec(message);
  if (impersonation !== null) return { code: 'ConfigInvalid', sentence: `Chandlery's own account may not impersonate users: ${message}` };
  const constrained = /cannot impersonate-on:user-info:(\w+) (?:resource|path) "([^"]*)"(?: in API group "([^"]*)")?/.exec(message);
  if (constrained !== null) return { code: 'Forbidden', sentence: constrainedSentence(constrained) };
  const quota = /(?:exceeded|failed|status unknown for) quota: .*/s.exec(message);
  if (quota !== null && code === 403) return rejectedByQuota(quota[0]);
  const policy = /ValidatingAdmissionPolicy '([^']*)'.* denied request: (.*)/s.exec(message);
  if (policy !== null) return denied(`policy "${policy[1] ?? ''}": ${policy[2] ?? ''}`);
  const webhook = /admission webhook "([^"]*)" denied the request:? ?(.*)/s.exec(message);
  if (webhook !== null) return denied(`webhook "${webhook[1] ?? ''}": ${webhook[2] || 'no reason given'}`);
  const pods = /violates PodSecurity .*/s.exec(message);
  if (pods !== null) return denied(pods[0]);
  if (reason === 'Forbidden' && code === 403 && !isMissingPermission(message)) {
    const words = causes[0]?.message ?? afterForbidden(message);
    return { code: 'AdmissionDenied', sentence: words, faults: causes.length > 0 ? causes : [{ message: words }] };
  }
  return undefined;
}

/** The account of Chandlery may impersonate people, but not for this (constrained impersonation, KEP-5284). */
function constrainedSentence([, verb = '', resource = '', group = '']: readonly string[]): string {
  const what = group === '' ? resource : `${resource}.${group}`;
  return `Chandlery's own account may not ${verb} ${what} for people: an admin adds it to rbac.impersonation.extraRules of its chart, or you use kubectl`;
}

/** A quota that nobody has counted yet, because its kind is new, takes nothing at all. */
function rejectedByQuota(words: string): Classified {
  const sentence = words.startsWith('status unknown')
    ? `the cluster has not counted the resources of this quota yet, try again in a few minutes: ${words}`
    : words;
  return { code: 'QuotaExceeded', sentence, faults: [{ message: sentence }] };
}

function denied(sentence: string): Classified {
  return { code: 'AdmissionDenied', sentence, faults: [{ message: sentence }] };
}

function isMissingPermission(message: string): boolean {
  return (
    /\bcannot \w+ (?:resource|path)\b/.test(message) ||
    message.includes('attempting to grant RBAC permissions') ||
    !message.includes('forbidden:')
  );
}

function afterForbidden(message: string): string {
  return /forbidden: (.*)/s.exec(message)?.[1] ?? message;
}

/** Faults of fields: validation, strict decoding, and the typed patch of server-side apply. */
function classifyInvalid({ code, reason, message, causes }: StatusAnswer): Classified | undefined {
  const strict = /strict decoding error: (.*)/s.exec(message);
  if (strict !== null) return { code: 'InvalidInput', sentence: strict[1] ?? message, faults: strictFaults(strict[1] ?? '') };
  const typed = typedPatchFaults(message);
  if (typed.length > 0) return { code: 'InvalidInput', sentence: typed.map((fault) => fault.message).join('; '), faults: typed };
  const mistyped = /Go struct field \w+\.([\w.]+) of type (\S+)/.exec(message);
  if (mistyped !== null) {
    const [, field = '', type = ''] = mistyped;
    return {
      code: 'InvalidInput',
      sentence: `"${field}" must be of type ${type}`,
      faults: [{ field, message: `The value must be of type ${type}` }],
    };
  }
  if (code !== 400 && code !== 422 && reason !== 'Invalid') return undefined;
  if (causes.length > 0) return { code: 'InvalidInput', sentence: causes.map(sentenceOfFault).join('; '), faults: causes };
  const sentence = /is invalid: (.*)/s.exec(message)?.[1] ?? message;
  return { code: 'InvalidInput', sentence, faults: [{ message: sentence }] };
}

function classifyCode({ code, reason, causes, message }: StatusAnswer): Classified {
  switch (code) {
    case 401:
      return { code: 'ClusterUnavailable', sentence: "the api-server does not accept Chandlery's credentials" };
    case 403:
      return { code: 'Forbidden', sentence: afterForbidden(message) };
    case 404:
      return { code: 'NotFound' };
    case 405:
      return { code: 'MethodNotAllowed' };
    case 409:
      return reason === 'AlreadyExists' ? { code: 'AlreadyExists', sentence: 'it already exists' } : { code: 'Conflict', faults: causes };
    case 410:
      return { code: 'Conflict', sentence: `the requested resourceVersion is too old (410): ${message}` };
    case 413:
      return { code: 'TooLarge' };
    case 429:
      return { code: 'TooManyRequests' };
    default:
      return { code: code >= 500 ? 'ClusterUnavailable' : 'Internal', sentence: `the api-server answered ${code}: ${message}` };
  }
}

function readStatus({ statusCode, headers }: { statusCode: number; headers: Headers }, text: string): StatusAnswer {
  const status = parseStatus(text);
  const message = cut(textAt(status, 'message') ?? (text.slice(0, 300).trim() || 'no reason given'), MAX_MESSAGE_LENGTH);
  const causes = meaningful(
    listAt(status, 'details', 'causes')
      .slice(0, 10 * MAX_FAULTS)
      .map(faultOf),
  );
  const waits =
    statusCode === 429 || statusCode === 503 ? (retryAfterOf(headers) ?? numberAt(status, 'details', 'retryAfterSeconds') ?? 1) : undefined;
  return { code: statusCode, reason: textAt(status, 'reason') ?? '', message, causes, retryAfter: waits };
}

/** Besides real causes the api-server mentions the rules that it did not come to, and those that stumbled over an earlier cause. */
function meaningful(causes: readonly FieldFault[]): readonly FieldFault[] {
  const real = causes.filter(({ message }) => !/some validation rules were not checked|accessor error/.test(message));
  return real.length > 0 ? real : causes;
}

function parseStatus(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return at(parsed, 'kind') === 'Status' ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function faultOf(cause: unknown): FieldFault {
  const field = textAt(cause, 'field')?.replace(/^\./, '') ?? '';
  const words = textAt(cause, 'message') ?? textAt(cause, 'reason') ?? 'not valid';
  const message = plainFault(words);
  return field === '' || field === '<nil>' ? { message } : { field, message };
}

/** Seconds. The other form of the header, a date, is not one that the api-server uses. */
function retryAfterOf(headers: Headers): number | undefined {
  const value = [headers['retry-after'] ?? []].flat()[0];
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}

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
  UND_ERR_INFO: 'the connection was closed',
  ERR_HTTP2_STREAM_ERROR: 'the connection was closed',
  ERR_HTTP2_SESSION_ERROR: 'the connection was closed',
};

/** Connection failures after which the same read may succeed at once on a new connection. */
const RESET_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_INFO',
  'ERR_HTTP2_STREAM_ERROR',
  'ERR_HTTP2_SESSION_ERROR',
]);

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
