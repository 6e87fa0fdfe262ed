import { randomBytes } from 'node:crypto';
import { type AccessToken, TOKEN_STATES, tokenState } from '../../domain/access-token/access-token.ts';
import {
  type EnvironmentRegistration,
  grantFaults,
  type RegistrationGrant,
  registeredSpec,
  sampleName,
} from '../../domain/access-token/registration.ts';
import { newTokenText, tokenDigest } from '../../domain/access-token/token-text.ts';
import type { AuditEvent, RequestOrigin } from '../../domain/audit/audit-log.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { objectAt } from '../../domain/core/read.ts';
import { type Secret, secret } from '../../domain/core/secret.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { withCreator } from '../../domain/kubernetes/creator.ts';
import { ENVIRONMENT } from '../../domain/kubernetes/resource-types.ts';
import { apiVersionOf, type JsonObject, type KubeObject } from '../../domain/kubernetes/resource.ts';
import { audited } from '../audit/audited.ts';
import { environmentToCreate } from '../environment/environment-change.ts';
import { shownEnvironment } from '../environment/environment-masking.ts';
import { environmentDetails } from '../environment/find-environment.ts';
import { environmentEvent } from '../environment/write-environment.ts';
import { rejectFaults, USER_WRITE } from '../instance/instance-draft.ts';
import type { Ports } from '../ports.ts';
import { isoOf, rejectTokens } from './access-token-view.ts';
import { addToken, expiryOf, nameFaults } from './create-access-token.ts';
import { requireAll, unknownToken } from './list-access-tokens.ts';

type Needs = Pick<Ports, 'clusters' | 'catalog' | 'accessTokens' | 'auditLog'>;

export const REGISTRATION_TOKEN_STATES = [...TOKEN_STATES, 'UsedUp'] as const;

/** A registration token as admins see it: never its text. Times are ISO 8601 in UTC. */
export interface RegistrationTokenView extends RegistrationGrant {
  readonly id: string;
  readonly name: string;
  /** Who issued it: the Environments are created with their permissions. */
  readonly user: string;
  /** Environments that were registered with it. */
  readonly registered: number;
  readonly created: string;
  readonly expires: string;
  /** To the minute; absent: never. */
  readonly lastUsed?: string;
  readonly state: (typeof REGISTRATION_TOKEN_STATES)[number];
}

/** A token with its text, which is shown this once. */
export interface IssuedRegistrationToken {
  readonly registrationToken: RegistrationTokenView;
  readonly text: Secret;
}

/** A registration token that an admin wants. */
export interface RegistrationTokenDraft extends RequestOrigin, RegistrationGrant {
  readonly name: string;
  /** RFC 3339; absent: in 30 days. */
  readonly expires?: string;
}

/**
 * Issues a token that registers Environments with the permissions of the actor, and does nothing else. An Environment as it would register is dry-run as the
 * actor, so nobody issues one for what they may not create themselves.
 *
 * @throws AppError `Forbidden`, `InvalidInput`, `LimitReached` as `createAccessToken`, and what the api-server rejects of the spec.
 */
export async function createRegistrationToken(ports: Needs, actor: Actor, draft: RegistrationTokenDraft): Promise<IssuedRegistrationToken> {
  const id = randomBytes(8).toString('hex');
  return await audited(ports, actor, tokenEvent('create registration token', id, draft), async () => {
    const { token, text } = await addToken(ports, actor, draft, async () => {
      const { names, uses, projects, spec } = draft;
      const registration = { names: names.trim(), uses, projects, spec };
      const [name, expiresAt] = [draft.name.trim(), expiryOf(ports, draft.expires)];
      const expiryFaults = typeof expiresAt === 'number' ? [] : [{ field: 'expires', message: expiresAt.fault }];
      rejectFaults([...nameFaults(name), ...grantFaults(registration), ...expiryFaults], 'registration token');
      await tryGrant(ports, actor, registration);
      return { id, name, scope: 'write', registration, expiresAt: Number(expiresAt) };
    });
    return { registrationToken: viewOf(ports, token), text };
  });
}

/** What the api-server says of an Environment with these projects. A name that is taken says nothing about the grant. */
async function tryGrant(ports: Needs, actor: Actor, { names, projects, spec }: RegistrationGrant): Promise<void> {
  const sample = manifestOf(sampleName(names), projects.length === 0 ? spec : { ...spec, projects: projects.map((one) => ({ ...one })) });
  const environment = environmentToCreate(ports, sample);
  try {
    await ports.clusters.asActor(actor).create(ENVIRONMENT, environment, { ...USER_WRITE, dryRun: 'All' });
  } catch (error) {
    if (!isAppError(error, 'AlreadyExists')) throw error;
  }
}

/**
 * All registration tokens, by who issued them, the newest first.
 *
 * @throws AppError `Forbidden` without the permission to list `accesstokens.chandlery.dev`, and for a request with a token.
 */
export async function listRegistrationTokens(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'accessTokens'>,
  actor: Actor,
): Promise<readonly RegistrationTokenView[]> {
  rejectTokens(actor);
  await requireAll(ports, actor, 'list');
  const tokens = await ports.accessTokens.table.list();
  return tokens.filter(({ registration }) => registration !== undefined).map((token) => viewOf(ports, token));
}

interface TokenInput extends RequestOrigin {
  readonly id: string;
}

/**
 * Gives a token of the actor another text, and its lifetime once more; the earlier text is rejected from then on. What it may register stays, and so does the count.
 *
 * @throws AppError `NotFound` for a token of somebody else: with its text, the actor could act with their permissions.
 */
export async function rotateRegistrationToken(ports: Needs, actor: Actor, { id, ...origin }: TokenInput): Promise<IssuedRegistrationToken> {
  return await audited(ports, actor, tokenEvent('rotate registration token', id, origin), async () => {
    rejectTokens(actor);
    const { table, now, maxLifetime } = ports.accessTokens;
    const token = (await table.list(actor.user)).find((one) => one.id === id && one.registration !== undefined);
    if (token === undefined) throw unknownToken(id);
    const [text, createdAt] = [newTokenText(), now()];
    const expiresAt = createdAt + Math.min(maxLifetime, token.expiresAt - token.createdAt);
    const rotated = await table.rotate(id, actor.user, { digest: tokenDigest(text) ?? '', createdAt, expiresAt });
    if (rotated === undefined) throw unknownToken(id);
    return { registrationToken: viewOf(ports, rotated), text: secret(text) };
  });
}

/** Revokes a registration token: one's own, or with the permission to delete `accesstokens.chandlery.dev` anybody's. @throws AppError `Forbidden`, `NotFound`. */
export async function revokeRegistrationToken(ports: Needs, actor: Actor, { id, ...origin }: TokenInput): Promise<void> {
  await audited(ports, actor, tokenEvent('revoke registration token', id, origin), async () => {
    rejectTokens(actor);
    if ((await ports.accessTokens.table.revoke(id, actor.user)) !== undefined) return;
    await requireAll(ports, actor, 'delete');
    if ((await ports.accessTokens.table.revoke(id)) === undefined) throw unknownToken(id);
  });
}

/** An Environment that was registered, as its registrant sees it. */
export interface RegisteredEnvironment {
  readonly name: string;
  readonly displayName: string;
  readonly namespace: string;
  readonly tier: string;
}

/**
 * Registers an Environment with the registration token of the request: creates it as who issued the token, so the api-server decides whether they still may.
 *
 * @throws AppError `Forbidden` for a request without such a token, and when it is used up; `InvalidInput` for what the token does not allow;
 *   `AlreadyExists`, and what the api-server rejects.
 */
export async function registerEnvironment(
  ports: Needs,
  actor: Actor,
  { via, requestId, ...registration }: EnvironmentRegistration & Pick<RequestOrigin, 'via' | 'requestId'>,
): Promise<RegisteredEnvironment> {
  const event = environmentEvent('register environment', registration.name, { via, requestId });
  return await audited(ports, actor, event, async () => {
    const { id, grant } = grantOf(actor);
    const allowed = registeredSpec(grant, registration);
    if ('faults' in allowed) throw new AppError('InvalidInput', faultSentence(allowed.faults), { faults: allowed.faults });
    const environment = withCreator(environmentToCreate(ports, manifestOf(registration.name, allowed.spec)), actor);
    if (!(await ports.accessTokens.table.countUse(id, grant.uses))) {
      throw new AppError('Forbidden', `registration token: it was used for ${grant.uses} of ${grant.uses} environments; ask for another`);
    }
    try {
      const { object } = await ports.clusters.asActor(actor).create(ENVIRONMENT, environment, USER_WRITE);
      const { name, displayName, namespace, tier } = environmentDetails(ports, object);
      return { name, displayName, namespace, tier };
    } catch (error) {
      // Of any other failure nobody knows whether the Environment was created.
      if (isAppError(error) && error.status < 500) await ports.accessTokens.table.returnUse(id);
      throw error;
    }
  });
}

function grantOf({ limits }: Actor): { readonly id: string; readonly grant: RegistrationGrant } {
  if (limits?.registration !== undefined) return { id: limits.id, grant: limits.registration };
  throw new AppError('Forbidden', 'registration: send a registration token; an admin issues one');
}

function faultSentence(faults: readonly { readonly message: string }[]): string {
  return `registration: ${faults.map(({ message }) => message).join('; ')}`;
}

function manifestOf(name: string, spec: JsonObject): KubeObject {
  return { apiVersion: apiVersionOf(ENVIRONMENT), kind: ENVIRONMENT.kind, metadata: { name }, spec };
}

function tokenEvent(action: string, target: string, { via, requestId }: RequestOrigin): AuditEvent {
  return { action, environment: '', target, via, requestId };
}

function viewOf(ports: Pick<Ports, 'accessTokens' | 'catalog'>, token: AccessToken): RegistrationTokenView {
  const { now, absence } = ports.accessTokens;
  const { id, name, user, createdAt, expiresAt, usedAt, uses: registered = 0 } = token;
  const grant = token.registration ?? { names: '', uses: 0, projects: [], spec: {} };
  const state = tokenState(token, { now: now(), absence });
  return {
    id,
    name,
    user,
    ...grant,
    spec: objectAt(shownEnvironment(ports, manifestOf(sampleName(grant.names), grant.spec)), 'spec') as JsonObject,
    registered,
    created: isoOf(createdAt),
    expires: isoOf(expiresAt),
    ...(usedAt === undefined ? {} : { lastUsed: isoOf(usedAt) }),
    state: state === 'Active' && registered >= grant.uses ? 'UsedUp' : state,
  };
}
