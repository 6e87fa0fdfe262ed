import type { CookieOptions, Request, Response } from 'express';
import { AppError } from '../domain/core/errors.ts';

const STATE = /^[\w-]{20,128}$/;
const LOGINS_AT_ONCE = 8;

/** The cookies of ours: one for the session, and one for each sign-in that is under way. */
export interface Cookies {
  /** @throws AppError `MalformedRequest` for two; so does `login`. */
  session(req: Request): string | undefined;
  setSession(res: Response, value: string, maxAgeSeconds: number): void;
  clearSession(res: Response): void;
  login(req: Request, state: string): string | undefined;
  /** Keeps the sign-in; old ones go when so many tabs began one that the header would grow too long. */
  setLogin(req: Request, res: Response, login: { readonly state: string; readonly sealed: string; readonly maxAgeSeconds: number }): void;
  clearLogin(res: Response, state: string): void;
}

/**
 * Cookies are shared by all ports of a host, so on plain http a port of one's own goes into the name: two clones can run side by side.
 * With https the names carry `__Host-`, so that no neighbouring host can plant them (RFC 6265bis, 4.1.3.2).
 */
export function cookiesOf(publicUrl: URL): Cookies {
  const secure = publicUrl.protocol === 'https:';
  const session = secure ? '__Host-chandlery' : plainName(publicUrl.port);
  const options: CookieOptions = { httpOnly: true, sameSite: 'lax', path: '/', secure };
  const loginPrefix = `${session}-login-`;
  const loginName = (state: string): string | undefined => (STATE.test(state) ? `${loginPrefix}${state.slice(0, 20)}` : undefined);
  const clear = (res: Response, name: string): void => void res.clearCookie(name, options);
  const set = (res: Response, name: string, value: string, maxAgeSeconds: number): void =>
    void res.cookie(name, value, { ...options, maxAge: maxAgeSeconds * 1000 });
  return {
    session: (req) => oneCookie(req, session),
    setSession: (res, value, maxAge) => set(res, session, value, maxAge),
    clearSession: (res) => clear(res, session),
    login: (req, state) => oneCookie(req, loginName(state) ?? ''),
    setLogin: (req, res, { state, sealed, maxAgeSeconds }) => {
      const others = [...readCookies(req).keys()].filter((name) => name.startsWith(loginPrefix));
      if (others.length >= LOGINS_AT_ONCE) for (const name of others) clear(res, name);
      set(res, loginName(state) ?? '', sealed, maxAgeSeconds);
    },
    clearLogin: (res, state) => {
      const name = loginName(state);
      if (name !== undefined) clear(res, name);
    },
  };
}

function plainName(port: string): string {
  return port === '' || port === '8080' ? 'chandlery' : `chandlery-${port}`;
}

/** All cookies by name. */
function readCookies(req: Request): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const part of (req.headers.cookie ?? '').split(';')) {
    const [name = '', ...value] = part.trim().split('=');
    if (name !== '') found.set(name, [...(found.get(name) ?? []), value.join('=')]);
  }
  return found;
}

/** Browsers send a cookie of a longer path first, so of two with a name one was planted, by a neighbouring host or a page of another path. */
function oneCookie(req: Request, name: string): string | undefined {
  const [first, ...others] = readCookies(req).get(name) ?? [];
  if (others.length === 0) return first;
  const message = `request: it has two cookies ${JSON.stringify(name)}: delete the cookies of this site and sign in again`;
  throw new AppError('MalformedRequest', message);
}
