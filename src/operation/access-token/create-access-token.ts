import { randomBytes } from 'node:crypto';
import { type AccessToken, MAX_TOKENS } from '../../domain/access-token/access-token.ts';
import { newTokenText, tokenDigest } from '../../domain/access-token/token-text.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { AppError, type FieldFault, isAppError } from '../../domain/core/errors.ts';
import { type Secret, secret } from '../../domain/core/secret.ts';
import type { LimitedEnvironment, TokenScope } from '../../domain/kubernetes/access-limits.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { audited } from '../audit/audited.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';
import { accessTokenView, type AccessTokenView, rejectTokens } from './access-token-view.ts';

/** A token that somebody wants. */
export interface AccessTokenDraft extends RequestOrigin {
  readonly name: string;
  readonly scope: TokenScope;
  /** Names of environments; absent: all that the user sees. */
  readonly environments?: readonly string[];
  /** RFC 3339; absent: in 30 days, or at the longest lifetime if that is shorter. */
  readonly expires?: string;
}

/** A new token with its text, which is shown this once. */
export interface NewAccessToken {
  readonly accessToken: AccessTokenView;
  readonly text: Secret;
}

type Needs = Pick<Ports, 'clusters' | 'accessTokens' | 'auditLog'>;

const DAY = 86_400_000;
const DEFAULT_LIFETIME = 30 * DAY;
const MAX_NAME_LENGTH = 64;
const MAX_ENVIRONMENTS = 20;

/**
 * Creates a personal access token of the actor. Its text is in the answer and nowhere else.
 *
 * @throws AppError `Forbidden` for a request with a personal access token, and for whoever does not sign in here, such as a CI job; `InvalidInput` for a name,
 *   an environment or an end that does not fit; `LimitReached` beyond 50 tokens.
 */
export async function createAccessToken(ports: Needs, actor: Actor, draft: AccessTokenDraft): Promise<NewAccessToken> {
  const id = randomBytes(8).toString('hex');
  const event = { action: 'create access token', environment: '', target: id, via: draft.via, requestId: draft.requestId };
  return await audited(ports, actor, event, async () => {
    const { token, text } = await addToken(ports, actor, draft, async () => ({
      id,
      ...(await parseDraft(ports, actor, draft)),
      scope: draft.scope,
    }));
    return { accessToken: accessTokenView(ports, token), text };
  });
}

type TokenFields = Omit<AccessToken, 'digest' | 'user' | 'groups' | 'person' | 'subject' | 'seenAt' | 'createdAt'>;

/**
 * Adds a token of the actor, with a text of its own.
 *
 * @param parse what the token is for; asked once it is known that the actor can have tokens.
 */
export async function addToken(
  ports: Pick<Ports, 'accessTokens'>,
  actor: Actor,
  draft: RequestOrigin,
  parse: () => Promise<TokenFields>,
): Promise<{ readonly token: AccessToken; readonly text: Secret }> {
  rejectTokens(actor);
  rejectPassThrough(ports);
  const subject = subjectOf(draft);
  const fields = await parse();
  const text = newTokenText();
  const now = ports.accessTokens.now();
  const owner = { user: actor.user, groups: actor.groups, person: draft.person ?? { name: actor.user }, subject };
  const token: AccessToken = { ...fields, ...owner, digest: tokenDigest(text) ?? '', seenAt: now, createdAt: now };
  if ((await ports.accessTokens.table.add(token, MAX_TOKENS)) === 'full') {
    throw new AppError('LimitReached', `personal access token: you have ${MAX_TOKENS}, which is the limit; revoke one first`);
  }
  return { token, text: secret(text) };
}

function rejectPassThrough({ accessTokens }: Pick<Ports, 'accessTokens'>): void {
  if (accessTokens.usable === 'Yes') return;
  const why =
    'this Chandlery calls the api-server with the tokens of people (--user-identity PassThrough), and the api-server knows no personal access tokens';
  throw new AppError('Forbidden', `personal access token: ${why}; send a token of the identity provider`);
}

function subjectOf({ subject }: RequestOrigin): string {
  if (subject !== undefined) return subject;
  const why = 'only people who sign in here have them; a CI job sends the ID token of its CI system';
  throw new AppError('Forbidden', `personal access token: ${why}`);
}

async function parseDraft(
  ports: Needs,
  actor: Actor,
  draft: AccessTokenDraft,
): Promise<Pick<AccessToken, 'name' | 'environments' | 'expiresAt'>> {
  const name = draft.name.trim();
  const expiresAt = expiryOf(ports, draft.expires);
  const environments = draft.environments === undefined ? undefined : await environmentsOf(ports, actor, draft.environments);
  const faults: FieldFault[] = [
    ...nameFaults(name),
    ...(typeof expiresAt === 'number' ? [] : [{ field: 'expires', message: expiresAt.fault }]),
    ...(environments === undefined || !('fault' in environments) ? [] : [{ field: 'environments', message: environments.fault }]),
  ];
  if (faults.length > 0 || typeof expiresAt !== 'number' || (environments !== undefined && 'fault' in environments)) {
    throw new AppError('InvalidInput', `personal access token: ${faults.map(({ message }) => message).join('; ')}`, { faults });
  }
  return { name, expiresAt, ...(environments === undefined ? {} : { environments }) };
}

/** What is wrong with the name of a token. */
export function nameFaults(name: string): FieldFault[] {
  const field = 'name';
  if (name === '') return [{ field, message: 'Enter a name, for example the program that uses the token' }];
  if (name.length > MAX_NAME_LENGTH) return [{ field, message: `Shorten the name to ${MAX_NAME_LENGTH} characters` }];
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(name) ? [{ field, message: 'Write the name in one line of visible characters' }] : [];
}

interface Fault {
  readonly fault: string;
}

/** When a token ends. @param expires RFC 3339; absent: in 30 days */
export function expiryOf({ accessTokens: { now, maxLifetime } }: Pick<Ports, 'accessTokens'>, expires: string | undefined): number | Fault {
  const latest = now() + maxLifetime;
  if (expires === undefined) return Math.min(latest, now() + DEFAULT_LIFETIME);
  const time = Date.parse(expires);
  if (Number.isNaN(time) || time <= now()) return { fault: 'Choose an end in the future' };
  if (time > latest) return { fault: `Choose an end before ${new Date(latest).toISOString()}, the longest lifetime of a token` };
  return time;
}

async function environmentsOf({ clusters }: Needs, actor: Actor, names: readonly string[]): Promise<readonly LimitedEnvironment[] | Fault> {
  const wanted = [...new Set(names)].toSorted();
  if (wanted.length === 0) return { fault: 'Choose an environment, or leave the limit out' };
  if (wanted.length > MAX_ENVIRONMENTS) return { fault: `Choose at most ${MAX_ENVIRONMENTS} environments` };
  try {
    const found = await Promise.all(wanted.map(async (name) => await findEnvironment(clusters, actor, name)));
    return found.map(({ name, namespace }) => ({ name, namespace }));
  } catch (error) {
    if (isAppError(error, 'NotFound')) return { fault: error.message };
    throw error;
  }
}
