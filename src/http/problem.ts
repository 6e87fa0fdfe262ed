import type { Request } from 'express';
import type { AppError, FieldFault, MissingPermission } from '../domain/core/errors.ts';

/** One thing that an error points at: a field as a JSON pointer and as a dotted path, or a place in a file. */
interface ProblemFault {
  readonly detail: string;
  readonly pointer?: string;
  readonly field?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** An error as programs read it, `application/problem+json` (RFC 9457). */
interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The path that was asked for. */
  readonly instance: string;
  /** The row of the error table. */
  readonly code: string;
  readonly requestId: string;
  readonly errors?: readonly ProblemFault[];
  readonly missing?: MissingPermission;
}

export function problemOf(error: AppError, request: { readonly path: string; readonly requestId: string }): Problem {
  return {
    type: `urn:chandlery:error:${error.code}`,
    title: error.title,
    status: error.status,
    detail: error.message,
    instance: request.path,
    code: error.code,
    requestId: request.requestId,
    ...(error.faults.length > 0 && { errors: error.faults.map(problemFaultOf) }),
    ...(error.missing !== undefined && { missing: error.missing }),
  };
}

function problemFaultOf({ message, ...place }: FieldFault): ProblemFault {
  return { detail: message, ...(place.field !== undefined && { pointer: pointerOf(place.field) }), ...place };
}

/** `spec.users[0].name` as a fragment pointer (RFC 6901): `#/spec/users/0/name`. */
function pointerOf(field: string): string {
  const steps = field
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
    .filter((step) => step !== '');
  return `#/${steps.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
}

/** Whether the caller is a program: it asks the API, or wants anything rather than a page. */
export function acceptsProblem(req: Request): boolean {
  const path = req.originalUrl.split('?')[0] ?? '';
  return /^\/(api|hooks)(\/|$)/.test(path) || req.accepts(['html', 'json']) !== 'html';
}
