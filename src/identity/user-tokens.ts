import { decodeJwt } from 'jose';
import { type Actor, actorKey } from '../domain/kubernetes/actor.ts';

/** The tokens of those who are signed in now, for calls to the api-server that carry them. They are in memory alone. */
export interface UserTokens {
  /** Takes a token that has been verified, or that came from the issuer itself. */
  remember(actor: Actor, token: string): void;
  /** The token of the actor that lasts longest; undefined when there is none, or it is over. */
  tokenOf(actor: Actor): string | undefined;
}

/** A token that expires sooner is not sent: it could expire before the api-server has verified it. */
const EARLY_MS = 5_000;

/** @param clock milliseconds since 1970 */
export function createUserTokens(clock: () => number = Date.now): UserTokens {
  const tokens = new Map<string, { readonly token: string; readonly until: number }>();
  return {
    remember: (actor, token) => {
      const until = endOf(token);
      const now = clock();
      for (const [key, known] of tokens) if (known.until <= now) tokens.delete(key);
      const key = actorKey(actor);
      if (until > (tokens.get(key)?.until ?? 0)) tokens.set(key, { token, until });
    },
    tokenOf: (actor) => {
      const known = tokens.get(actorKey(actor));
      return known === undefined || known.until - EARLY_MS <= clock() ? undefined : known.token;
    },
  };
}

/** When a token is over, in milliseconds since 1970; 0 for what says nothing of that. */
export function endOf(token: string): number {
  try {
    return (decodeJwt(token).exp ?? 0) * 1000;
  } catch {
    return 0;
  }
}
