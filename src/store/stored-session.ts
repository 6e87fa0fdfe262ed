import { parseJson } from '../domain/core/exact-json.ts';
import { textAt } from '../domain/core/read.ts';
import type { Seal } from '../domain/core/seal.ts';
import type { SessionRecord } from '../domain/core/session.ts';

/** Browsers in which one person can be signed in. */
export const MAX_SESSIONS = 50;

/** A session as it is written: a copy of the store has no tokens that work. */
export interface StoredSession extends Omit<SessionRecord, 'idToken' | 'refreshToken'> {
  /** The ID token and the refresh token, sealed; absent where there is neither. */
  readonly tokens?: string;
}

/** @param key of the session, at which alone its tokens can be opened. */
export function sealSession(key: string, record: SessionRecord, seal: Seal): StoredSession {
  const { idToken, refreshToken, ...rest } = record;
  if (idToken === undefined && refreshToken === undefined) return rest;
  return { ...rest, tokens: seal.seal(JSON.stringify({ idToken, refreshToken }), key) };
}

/** Undefined when the sealing key of its tokens is gone: whoever has the session signs in again. */
export function openSession(key: string, { tokens, ...rest }: StoredSession, seal: Seal): SessionRecord | undefined {
  if (tokens === undefined) return rest;
  const opened = seal.open(tokens, key);
  if (opened === undefined) return undefined;
  const content = parseJson(opened.toString());
  const [idToken, refreshToken] = [textAt(content, 'idToken'), textAt(content, 'refreshToken')];
  return { ...rest, ...(idToken !== undefined && { idToken }), ...(refreshToken !== undefined && { refreshToken }) };
}
