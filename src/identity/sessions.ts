import { createHash, randomBytes } from 'node:crypto';
import type { SessionRecord, SignedIn } from '../domain/core/session.ts';
import type { IdentitySettings } from './identity-settings.ts';
import { createRenewal, type Renew } from './renewal.ts';
import type { SessionPort } from './session-port.ts';

/** A session is marked as seen at most once in so many milliseconds, to spare the store. */
const SEEN_STEP = 60_000;

export interface Sessions {
  /** Keeps a new session; the answer is the secret for the browser. Never a secret that a browser brought. */
  start(record: SessionRecord): Promise<string>;
  /** @throws AppError `IssuerUnavailable` when the tokens have been over for too long and the issuer stays away. */
  find(secret: string): Promise<SignedIn | undefined>;
  /** As `find`, but it does not count as a request: a live stream alone keeps no session from its idle end. */
  peek(secret: string): Promise<SignedIn | undefined>;
  /** Ends a session; the answer is what it was. */
  end(secret: string): Promise<SessionRecord | undefined>;
}

export interface SessionDeps {
  readonly settings: IdentitySettings;
  readonly sessions: SessionPort;
  readonly renew: Renew;
  readonly clock: () => number;
}

/** Sessions with an idle and an absolute end, whose tokens are renewed while they are used. */
export function createSessions({ settings, sessions, renew, clock }: SessionDeps): Sessions {
  const renewal = createRenewal({ sessions, renew, clock });
  const look = async (secret: string, use: 'used' | 'seen'): Promise<SignedIn | undefined> => {
    const key = keyOf(secret);
    const record = await sessions.get(key);
    if (record === undefined) return undefined;
    const now = clock();
    if (now >= record.expiresAt || now - record.seenAt >= settings.idleLifetime) {
      await sessions.delete(key);
      return undefined;
    }
    const current = await renewal.current(key, record);
    if (current === undefined) return undefined;
    if (use === 'used' && now - current.seenAt >= SEEN_STEP) await sessions.touch(key, now);
    return { actor: current.actor, person: current.person };
  };
  return {
    find: async (secret) => await look(secret, 'used'),
    peek: async (secret) => await look(secret, 'seen'),
    start: async (record) => {
      const secret = randomBytes(32).toString('base64url');
      await sessions.put(keyOf(secret), record);
      return secret;
    },
    end: async (secret) => {
      const key = keyOf(secret);
      const record = await sessions.get(key);
      await sessions.delete(key);
      return record;
    },
  };
}

function keyOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
