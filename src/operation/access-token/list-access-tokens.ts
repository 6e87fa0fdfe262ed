import type { AccessToken } from '../../domain/access-token/access-token.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { audited } from '../audit/audited.ts';
import type { Ports } from '../ports.ts';
import { accessTokenView, type AccessTokenView, rejectTokens } from './access-token-view.ts';

type Needs = Pick<Ports, 'clusters' | 'accessTokens' | 'auditLog'>;

/** No api-server serves them; permissions on them are granted as on any other resource. */
const ACCESS_TOKENS = { group: OURS.group, resource: 'accesstokens' } as const;

/** The personal access tokens of somebody. */
export interface AccessTokenList {
  /** The newest first. */
  readonly tokens: readonly AccessTokenView[];
  /** The longest lifetime of a new one, in days: at least 1. */
  readonly longestDays: number;
  /** See `AccessTokenPorts`. */
  readonly usable: Ports['accessTokens']['usable'];
}

const DAY = 86_400_000;

/** The personal access tokens of the actor. @throws AppError `Forbidden` for a request with one. */
export async function listAccessTokens(ports: Pick<Ports, 'accessTokens'>, actor: Actor): Promise<AccessTokenList> {
  rejectTokens(actor);
  const { table, maxLifetime, usable } = ports.accessTokens;
  const tokens = (await table.list(actor.user)).filter(isPersonal).map((token) => accessTokenView(ports, token));
  return { tokens, longestDays: Math.floor(maxLifetime / DAY), usable };
}

/** What tokens are narrowed by; an empty text leaves all. */
export interface AccessTokenQuery {
  /** A part of the user name or of the name of the token; letter case is ignored. */
  readonly search: string;
}

/**
 * The tokens of everybody, by user.
 *
 * @throws AppError `Forbidden` without the permission to list `accesstokens.chandlery.dev`, and for a request with a personal access token.
 */
export async function listAllAccessTokens(
  ports: Pick<Ports, 'clusters' | 'accessTokens'>,
  actor: Actor,
  { search }: AccessTokenQuery,
): Promise<readonly AccessTokenView[]> {
  rejectTokens(actor);
  await requireAll(ports, actor, 'list');
  const word = search.toLowerCase();
  const all = await ports.accessTokens.table.list();
  const found = all.filter(isPersonal).filter(({ user, name, id }) => [user, name, id].some((text) => text.toLowerCase().includes(word)));
  return found.map((token) => accessTokenView(ports, token));
}

interface Revocation extends RequestOrigin {
  readonly id: string;
}

/**
 * Revokes a token of the actor; every replica rejects it from then on.
 *
 * @throws AppError `NotFound` for a token that is none, or somebody else's; `Forbidden` for a request with a personal access token.
 */
export async function revokeAccessToken(ports: Needs, actor: Actor, { id, via, requestId }: Revocation): Promise<void> {
  const event = { action: 'revoke access token', environment: '', target: id, via, requestId };
  await audited(ports, actor, event, async () => {
    rejectTokens(actor);
    if ((await ports.accessTokens.table.revoke(id, actor.user)) === undefined) throw unknownToken(id);
  });
}

/**
 * Revokes the token of anybody.
 *
 * @throws AppError `Forbidden` without the permission to delete `accesstokens.chandlery.dev`, and for a request with a personal access token; `NotFound`.
 */
export async function revokeAnyAccessToken(ports: Needs, actor: Actor, { id, via, requestId }: Revocation): Promise<void> {
  const event = { action: 'revoke access token of a user', environment: '', target: id, via, requestId };
  await audited(ports, actor, event, async () => {
    rejectTokens(actor);
    await requireAll(ports, actor, 'delete');
    if ((await ports.accessTokens.table.revoke(id)) === undefined) throw unknownToken(id);
  });
}

function isPersonal({ registration }: AccessToken): boolean {
  return registration === undefined;
}

/** @throws AppError `Forbidden` without the permission to do so with the tokens of everybody. */
export async function requireAll({ clusters }: Pick<Ports, 'clusters'>, actor: Actor, verb: 'list' | 'delete'): Promise<void> {
  const missing = { verb, ...ACCESS_TOKENS };
  const { allowed } = await clusters.asActor(actor).review(missing);
  if (!allowed) throw new AppError('Forbidden', `personal access tokens: you may not ${verb} those of other people`, { missing });
}

/** The error for an id that no token has. */
export function unknownToken(id: string): AppError {
  return new AppError('NotFound', `personal access token ${JSON.stringify(id)}: no token has this id`);
}
