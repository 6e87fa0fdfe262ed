import type { Request } from 'express';
import { AppError } from '../domain/core/errors.ts';
import type { Cookies } from './cookies.ts';

/** What a request proves who it is from with. */
export type Credentials =
  { readonly kind: 'bearer'; readonly token: string } | { readonly kind: 'session'; readonly session: string } | { readonly kind: 'none' };

const BEARER = /^Bearer +([\w.~+/=-]+)$/i;

/**
 * Reads the credentials. A bearer token wins over a cookie: a program that sends one means it.
 *
 * @throws AppError `Unauthenticated` for an Authorization header that is not a bearer token.
 */
export function credentialsOf(req: Request, cookies: Cookies): Credentials {
  const header = req.get('Authorization');
  if (header !== undefined) return { kind: 'bearer', token: tokenOf(header) };
  const session = cookies.session(req);
  return session === undefined || session === '' ? { kind: 'none' } : { kind: 'session', session };
}

/** Whether the request says who it is from, be that true or not. */
export function hasCredentials(req: Request, cookies: Cookies): boolean {
  return req.get('Authorization') !== undefined || (cookies.session(req) ?? '') !== '';
}

function tokenOf(header: string): string {
  const token = BEARER.exec(header.trim())?.[1];
  if (token !== undefined) return token;
  throw new AppError('Unauthenticated', 'bearer token: the Authorization header must be "Bearer" and a token of the identity provider');
}
