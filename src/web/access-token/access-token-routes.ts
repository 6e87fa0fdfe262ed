import { Router } from 'express';
import { type FieldFault, isAppError } from '../../domain/core/errors.ts';
import type { NewAccessToken } from '../../operation/access-token/create-access-token.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { ACCESS_TOKENS_PATH, ALL_ACCESS_TOKENS_PATH } from '../page/paths.ts';
import { accessTokensPage, allAccessTokensPage, DEFAULT_DAYS, EMPTY_FORM, type TokenForm } from './access-token-page.ts';

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
  router.post(
    `${ALL_ACCESS_TOKENS_PATH}/:id/revocation`,
    page(deps, async ({ actor, param, requestOrigin }) => {
      await deps.operations.revokeAnyAccessToken(actor, { id: param('id'), ...requestOrigin });
      return { redirect: `${ALL_ACCESS_TOKENS_PATH}?revoked=1` };
    }),
  );
  return router;
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
      expires: new Date(Date.now() + form.days * DAY - SLACK).toISOString(),
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
  const days = Number(body.get('days') ?? '');
  return {
    name: body.get('name') ?? '',
    scope: body.get('scope') === 'write' ? 'write' : 'read',
    environments: body.getAll('environments'),
    days: Number.isInteger(days) && days > 0 && days < 10_000 ? days : DEFAULT_DAYS,
  };
}
