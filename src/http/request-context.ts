import type { Response } from 'express';
import type { Actor } from '../domain/kubernetes/actor.ts';
import { AppError } from '../domain/core/errors.ts';
import type { SignedIn } from '../domain/core/session.ts';

/** What is known of a request while it is answered; nothing of `SignedIn` while nobody is signed in. */
export interface RequestContext extends Partial<SignedIn> {
  readonly requestId: string;
}

/** How the request proved who it is from. */
export interface Access {
  /** Names the session or token without telling it. */
  readonly id: string;
  readonly actor: Actor;
  /**
   * Whether the session or token is still good, and for the same user and groups. It does not count as a request.
   *
   * @throws AppError `Unauthenticated` for a token that is not, `IssuerUnavailable`.
   */
  check(): Promise<'same' | 'changed' | 'ended'>;
}

const accesses = new WeakMap<object, Access>();
const contexts = new WeakMap<object, RequestContext>();

/** The context of the request that `res` answers; createApp sets it before anything else. */
export function contextOf(res: Response): RequestContext {
  const context = contexts.get(res);
  if (context === undefined) throw new AppError('Internal', 'request: it has no context; createApp sets one first');
  return context;
}

/**
 * Who the request is from.
 *
 * @throws AppError `Unauthenticated` when nobody is signed in.
 */
export function signedInOf(res: Response): SignedIn {
  const { actor, person, subject } = contextOf(res);
  if (actor === undefined || person === undefined) {
    throw new AppError('Unauthenticated', 'sign-in: this URL requires a session or a bearer token');
  }
  return { actor, person, ...(subject === undefined ? {} : { subject }) };
}

export function startContext(res: Response, requestId: string): void {
  contexts.set(res, { requestId });
}

/** @throws AppError `Unauthenticated` when nobody is signed in. */
export function accessOf(res: Response): Access {
  const { actor } = signedInOf(res);
  const access = accesses.get(res);
  if (access === undefined) throw new AppError('Internal', `request: it is from ${JSON.stringify(actor.user)}, but not known how`);
  return access;
}

export function setSignedIn(res: Response, signedIn: SignedIn, access: Access): void {
  contexts.set(res, { ...contextOf(res), ...signedIn });
  accesses.set(res, access);
}
