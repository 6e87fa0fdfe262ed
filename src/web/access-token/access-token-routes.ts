import { Router } from 'express';
import type { TokenState } from '../../domain/access-token/access-token.ts';
import { AppError, type FieldFault, isAppError } from '../../domain/core/errors.ts';
import { pageByKey } from '../../domain/core/page-by-key.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { TOKEN_SCOPES, type TokenScope } from '../../domain/kubernetes/access-limits.ts';
import type { AccessTokenView } from '../../operation/access-token/access-token-view.ts';
import type { NewAccessToken } from '../../operation/access-token/create-access-token.ts';
import type { AccessTokenList } from '../../operation/access-token/list-access-tokens.ts';
import type { Badge } from '../page/badges.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { ACCESS_TOKENS_PATH, ALL_ACCESS_TOKENS_PATH, hrefWith } from '../page/paths.ts';

const DAY = 86_400_000;
/** So that the longest lifetime that the server allows can be chosen, although the form was sent a moment later than it was made. */
const SLACK = 60_000;

/** Personal access tokens: one's own. */
export function accessTokenRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ACCESS_TOKENS_PATH,
    page(deps, async (visit) => await show(deps, visit, { form: EMPTY_FORM, faults: [] })),
  );
  router.post(
    ACCESS_TOKENS_PATH,
    page(deps, async (visit) => await create(deps, visit)),
  );
  router.get(
    `${ACCESS_TOKENS_PATH}/:id/revocation`,
    page(deps, async ({ actor, param }) => {
      const { tokens } = await deps.operations.listAccessTokens(actor);
      return revocationPage(tokens, param('id'), { label: 'Personal access tokens', href: ACCESS_TOKENS_PATH });
    }),
  );
  router.post(
    `${ACCESS_TOKENS_PATH}/:id/revocation`,
    page(deps, async ({ actor, param, requestOrigin }) => {
      await deps.operations.revokeAccessToken(actor, { id: param('id'), ...requestOrigin });
      return { redirect: `${ACCESS_TOKENS_PATH}?revoked=1` };
    }),
  );
  return router;
}

/** Those of everybody, for admins. */
export function allAccessTokenRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ALL_ACCESS_TOKENS_PATH,
    page(deps, async ({ actor, query }) => {
      const [search, after] = [(query.get('search') ?? '').trim(), query.get('after') ?? ''];
      const wanted = { search, revoked: query.has('revoked'), ...(after === '' ? {} : { after }) };
      const model = allAccessTokensPage(await deps.operations.listAllAccessTokens(actor, { search }), wanted);
      return { view: 'admin/access-tokens', title: 'Access tokens', section: 'none', model };
    }),
  );
  router.get(
    `${ALL_ACCESS_TOKENS_PATH}/:id/revocation`,
    page(deps, async ({ actor, param }) => {
      const tokens = await deps.operations.listAllAccessTokens(actor, { search: param('id') });
      return revocationPage(tokens, param('id'), { label: 'Access tokens', href: ALL_ACCESS_TOKENS_PATH });
    }),
  );
  router.post(
    `${ALL_ACCESS_TOKENS_PATH}/:id/revocation`,
    page(deps, async ({ actor, param, requestOrigin }) => {
      await deps.operations.revokeAnyAccessToken(actor, { id: param('id'), ...requestOrigin });
      return { redirect: `${ALL_ACCESS_TOKENS_PATH}?revoked=1` };
    }),
  );
  return router;
}

type RevocableToken = Pick<AccessTokenView, 'id' | 'name' | 'user' | 'created' | 'lastUsed'>;

/** Asks before a token is revoked: nothing brings it back. @throws AppError `NotFound` for an id that is not in the list. */
export function revocationPage(
  tokens: readonly RevocableToken[],
  id: string,
  back: { readonly label: string; readonly href: string },
): Answer {
  const token = tokens.find((one) => one.id === id);
  if (token === undefined) throw new AppError('NotFound', `token ${JSON.stringify(id)}: no token has this id`);
  const { name, user, created, lastUsed = '' } = token;
  const model: RevocationPage = { id, name, user, created, lastUsed, action: `${back.href}/${id}/revocation`, backHref: back.href };
  return { view: 'account/revoke-token', title: `Revoke ${name}`, section: 'none', crumbs: [back, { label: `Revoke ${name}` }], model };
}

/** A view of `account/revoke-token`. */
export interface RevocationPage {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly created: string;
  /** Empty: never. */
  readonly lastUsed: string;
  readonly action: string;
  readonly backHref: string;
}

interface Shown {
  readonly form: TokenForm;
  readonly faults: readonly FieldFault[];
  readonly created?: NewAccessToken;
}

async function show({ operations, publicUrl }: WebDeps, { actor, query }: Visit, shown: Shown): Promise<Answer> {
  const [list, environments] = await Promise.all([operations.listAccessTokens(actor), operations.listEnvironments(actor)]);
  const wrong = shown.faults.length > 0;
  return {
    view: 'account/tokens',
    title: `${wrong ? 'Error: ' : ''}Personal access tokens`,
    section: 'none',
    model: accessTokensPage({ ...shown, list, environments, revoked: query.has('revoked'), publicUrl }),
    ...(wrong ? { status: 422 } : {}),
  };
}

/** The text of the token is in the answer to the form itself: in no address, and in nothing that could be fetched again. */
async function create(deps: WebDeps, visit: Visit): Promise<Answer> {
  const { actor, body, requestOrigin } = visit;
  const form = formOf(body);
  try {
    const created = await deps.operations.createAccessToken(actor, {
      name: form.name,
      scope: form.scope,
      ...(form.environments.length === 0 ? {} : { environments: form.environments }),
      expires: endAfter(form.days),
      ...requestOrigin,
    });
    return await show(deps, visit, { form: EMPTY_FORM, faults: [], created });
  } catch (error) {
    if (!isAppError(error, 'InvalidInput', 'LimitReached')) throw error;
    const faults = error.faults.length > 0 ? error.faults : [{ field: 'name', message: error.message }];
    return await show(deps, visit, { form, faults });
  }
}

function formOf(body: URLSearchParams): TokenForm {
  return {
    name: body.get('name') ?? '',
    scope: body.get('scope') === 'write' ? 'write' : 'read',
    environments: body.getAll('environments'),
    days: daysIn(body),
  };
}

/** The lifetime that a form has. */
export function daysIn(body: URLSearchParams): number {
  const days = Number(body.get('days') ?? '');
  return Number.isInteger(days) && days > 0 && days < 10_000 ? days : DEFAULT_DAYS;
}

/** RFC 3339. */
export function endAfter(days: number): string {
  return new Date(Date.now() + days * DAY - SLACK).toISOString();
}

/** What the form of a new token has. */
interface TokenForm {
  readonly name: string;
  readonly scope: TokenScope;
  /** Names; none: all environments. */
  readonly environments: readonly string[];
  /** Days from now. */
  readonly days: number;
}

/** A view of `account/tokens`. */
export interface AccessTokensPage {
  readonly action: string;
  /** Whether tokens can be created and used here. */
  readonly usable: boolean;
  readonly name: string;
  readonly nameFault: string;
  readonly scopes: readonly Choice[];
  readonly environments: readonly Choice[];
  readonly environmentsFault: string;
  readonly lifetimes: readonly Choice[];
  readonly expiresFault: string;
  readonly errors: readonly { readonly message: string; readonly href: string }[];
  /** The token that was just created, with its text; false on every other page. */
  readonly created: false | { readonly name: string; readonly text: string; readonly expires: string; readonly curl: string };
  readonly revoked: boolean;
  readonly tokens: readonly TokenRow[];
}

export interface Choice {
  readonly id: string;
  readonly value: string;
  readonly label: string;
  readonly hint: string;
  readonly selected: boolean;
}

export interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly scope: string;
  /** `team-a, shop`, or `All of the user`. */
  readonly environments: string;
  readonly created: string;
  readonly expires: string;
  /** Empty: never. */
  readonly lastUsed: string;
  readonly lastSignIn: string;
  readonly state: Badge;
  /** The page that asks whether to revoke it. */
  readonly revokeHref: string;
}

const SCOPE_WORDS: Readonly<Record<TokenScope, { readonly label: string; readonly hint: string }>> = {
  read: { label: 'Read', hint: 'GET requests alone' },
  write: { label: 'Read and write', hint: 'Everything that you may do, but for tokens themselves' },
};

export const TOKEN_STATE_BADGES: Readonly<Record<TokenState, Badge>> = {
  Active: { label: 'Active', tone: 'good', symbol: 'check' },
  Paused: { label: 'Paused until the next sign-in', tone: 'warn', symbol: 'pause' },
  Expired: { label: 'Expired', tone: 'idle', symbol: 'missing' },
};

const LIFETIMES = [7, 30, 60, 90, 180, 365];
const DEFAULT_DAYS = 30;
const EMPTY_FORM: TokenForm = { name: '', scope: 'read', environments: [], days: DEFAULT_DAYS };

interface TokensPageInput {
  readonly form: TokenForm;
  readonly faults: readonly FieldFault[];
  readonly list: AccessTokenList;
  readonly environments: readonly EnvironmentView[];
  readonly created?: NewAccessToken;
  readonly revoked: boolean;
  readonly publicUrl: string;
}

function accessTokensPage({ form, faults, list, environments, created, revoked, publicUrl }: TokensPageInput): AccessTokensPage {
  const fault = (field: string): string => faults.find((one) => one.field === field)?.message ?? '';
  return {
    action: ACCESS_TOKENS_PATH,
    name: form.name,
    nameFault: fault('name'),
    scopes: TOKEN_SCOPES.map((value) => ({ id: `scope-${value}`, value, ...SCOPE_WORDS[value], selected: value === form.scope })),
    environments: environments.map(({ name, displayName }) => ({
      id: `environment-${name}`,
      value: name,
      label: displayName,
      hint: name === displayName ? '' : name,
      selected: form.environments.includes(name),
    })),
    environmentsFault: fault('environments'),
    usable: list.usable === 'Yes',
    lifetimes: lifetimeChoices(list.longestDays, form.days),
    expiresFault: fault('expires'),
    errors: faults.map(({ field = 'name', message }) => ({ message, href: `#${field}` })),
    created: created !== undefined && createdOf(created, publicUrl),
    revoked,
    tokens: list.tokens.map((token) => rowOf(token, `${ACCESS_TOKENS_PATH}/${token.id}/revocation`)),
  };
}

/** The lifetimes that a new token can have. */
export function lifetimeChoices(longest: number, chosen: number): readonly Choice[] {
  const within = LIFETIMES.includes(longest)
    ? LIFETIMES.filter((days) => days <= longest)
    : [...LIFETIMES.filter((days) => days < longest), longest];
  return within.map((days) => ({
    id: `days-${days}`,
    value: String(days),
    label: days === 1 ? '1 day' : `${days} days`,
    hint: '',
    selected: days === chosen,
  }));
}

function createdOf({ accessToken, text }: NewAccessToken, publicUrl: string): AccessTokensPage['created'] {
  const curl = `curl -H "Authorization: Bearer $CHANDLERY_TOKEN" ${publicUrl}/api/v1/me`;
  return { name: accessToken.name, text: text.reveal(), expires: accessToken.expires, curl };
}

/** A view of `admin/access-tokens`. */
export interface AllAccessTokensPage {
  readonly search: string;
  readonly total: number;
  readonly revoked: boolean;
  readonly tokens: readonly TokenRow[];
  readonly nextHref: string;
  readonly firstHref: string;
}

const TOKENS_A_PAGE = 50;

export interface AllTokensQuery {
  readonly search: string;
  readonly after?: string;
  readonly revoked: boolean;
}

function allAccessTokensPage(tokens: readonly AccessTokenView[], { search, after, revoked }: AllTokensQuery): AllAccessTokensPage {
  const found = pageByKey(tokens, ({ user, id }) => `${user} ${id}`, {
    limit: TOKENS_A_PAGE,
    ...(after === undefined ? {} : { after }),
  });
  return {
    search,
    total: tokens.length,
    revoked,
    tokens: found.items.map((token) => rowOf(token, `${ALL_ACCESS_TOKENS_PATH}/${token.id}/revocation`)),
    nextHref: found.next === undefined ? '' : hrefWith(ALL_ACCESS_TOKENS_PATH, { search, after: found.next }),
    firstHref: after === undefined ? '' : hrefWith(ALL_ACCESS_TOKENS_PATH, { search }),
  };
}

function rowOf(
  { id, name, user, scope, environments, created, expires, lastUsed, lastSignIn, state }: AccessTokenView,
  revokeHref: string,
): TokenRow {
  return {
    id,
    name,
    user,
    scope: SCOPE_WORDS[scope].label,
    environments: environments === undefined ? 'All of the user' : environments.join(', '),
    created,
    expires,
    lastUsed: lastUsed ?? '',
    lastSignIn,
    state: TOKEN_STATE_BADGES[state],
    revokeHref,
  };
}
