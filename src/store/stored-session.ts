import { parseJson } from '../domain/core/exact-json.ts';
import { textAt } from '../domain/core/read.ts';
import type { Seal } from '../domain/core/seal.ts';
import type { SessionRecord } from '../domain/core/session.ts';

/** Browsers in which one person can be signed in. */
export const MAX_SESSIONS = 50;

/** A session as it is written: a copy of the store has no tokens that work. */
export interface StoredSession extends Omit<SessionRecord, 'idToken' | 'userToken' | 'refreshToken'> {
  /** The tokens, sealed; absent where there are none. */
  readonly tokens?: string;
}

/** @param key of the session, at which alone its tokens can be opened. */
export function sealSession(key: string, record: SessionRecord, seal: Seal): StoredSession {
  const { idToken, userToken, refreshToken, ...rest } = record;
  if (idToken === undefined && userToken === undefined && refreshToken === undefined) return rest;
  return { ...rest, tokens: seal.seal(JSON.stringify({ idToken, userToken, refreshToken }), key) };
}

const TOKENS = ['idToken', 'userToken', 'refreshToken'] as const;

/** Undefined when the sealing key of its tokens is gone: whoever has the session signs in again. */
export function openSession(key: string, { tokens: sealed, ...rest }: StoredSession, seal: Seal): SessionRecord | undefined {
  if (sealed === undefined) return rest;
  const opened = seal.open(sealed, key);
  if (opened === undefined) return undefined;
  const content = parseJson(opened.toString());
  const tokens = TOKENS.flatMap((name) => {
    const token = textAt(content, name);
    return token === undefined ? [] : [[name, token] as const];
  });
  return { ...rest, ...Object.fromEntries(tokens) };
}
