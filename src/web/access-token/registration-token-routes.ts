import { Router } from 'express';
import { allowedProjectsIn, REGISTRATION_PATH } from '../../domain/access-token/registration.ts';
import { AppError, type FieldFault, isAppError } from '../../domain/core/errors.ts';
import { isObject, textAt } from '../../domain/core/read.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { IssuedRegistrationToken, RegistrationTokenView } from '../../operation/access-token/registration-tokens.ts';
import { readYaml } from '../../schema/yaml-text.ts';
import type { Badge } from '../page/badges.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { REGISTRATION_TOKENS_PATH } from '../page/paths.ts';
import { yamlText } from '../page/yaml-text.ts';
import { type Choice, daysIn, endAfter, lifetimeChoices, revocationPage, TOKEN_STATE_BADGES } from './access-token-routes.ts';

const BACK = { label: 'Registration tokens', href: REGISTRATION_TOKENS_PATH };

/** Registration tokens, for admins. */
export function registrationTokenRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    REGISTRATION_TOKENS_PATH,
    page(deps, async (visit) => await show(deps, visit, { form: EMPTY_FORM, faults: [] })),
  );
  router.post(
    REGISTRATION_TOKENS_PATH,
    page(deps, async (visit) => await create(deps, visit)),
  );
  router.post(
    `${REGISTRATION_TOKENS_PATH}/:id/rotation`,
    page(deps, async (visit) => {
      const id = visit.param('id');
      const issued = await deps.operations.rotateRegistrationToken(visit.actor, { id, ...visit.requestOrigin });
      return await show(deps, visit, { form: EMPTY_FORM, faults: [], issued });
    }),
  );
  router.get(
    `${REGISTRATION_TOKENS_PATH}/:id/revocation`,
    page(deps, async ({ actor, param }) => revocationPage(await deps.operations.listRegistrationTokens(actor), param('id'), BACK)),
  );
  router.post(
    `${REGISTRATION_TOKENS_PATH}/:id/revocation`,
    page(deps, async ({ actor, param, requestOrigin }) => {
      await deps.operations.revokeRegistrationToken(actor, { id: param('id'), ...requestOrigin });
      return { redirect: `${REGISTRATION_TOKENS_PATH}?revoked=1` };
    }),
  );
  return router;
}

interface RegistrationForm {
  readonly name: string;
  readonly names: string;
  readonly uses: string;
  readonly days: number;
  /** YAML. */
  readonly spec: string;
  /** YAML: a list of projects; may be empty. */
  readonly projects: string;
}

const EMPTY_FORM: RegistrationForm = {
  name: '',
  names: '',
  uses: '1',
  days: 7,
  spec: 'tier: development\ngroups:\n  - name: oidc:team-x\n    role: maintainer\n',
  projects: '',
};

/** A view of `admin/registration-tokens`. */
export interface RegistrationTokensPage {
  readonly action: string;
  /** Whether tokens can be issued and used here. */
  readonly usable: boolean;
  readonly form: Omit<RegistrationForm, 'days'>;
  /** By field; empty where there is none. */
  readonly faults: Readonly<Record<'name' | 'names' | 'uses' | 'spec' | 'projects' | 'expires', string>>;
  readonly lifetimes: readonly Choice[];
  readonly errors: readonly { readonly message: string; readonly href: string }[];
  /** The token that was just issued, with its text; false on every other page. */
  readonly issued: false | { readonly name: string; readonly text: string; readonly expires: string; readonly curl: string };
  readonly revoked: boolean;
  readonly tokens: readonly RegistrationTokenRow[];
}

interface RegistrationTokenRow {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly names: string;
  readonly spec: string;
  readonly projects: string;
  /** `1 of 3`. */
  readonly used: string;
  readonly expires: string;
  /** Empty: never. */
  readonly lastUsed: string;
  readonly state: Badge;
  /** Where the form goes that rotates it; empty for a token of somebody else. */
  readonly rotateAction: string;
  readonly revokeHref: string;
}

interface Shown {
  readonly form: RegistrationForm;
  readonly faults: readonly FieldFault[];
  readonly issued?: IssuedRegistrationToken;
}

async function show({ operations, publicUrl }: WebDeps, { actor, query }: Visit, { form, faults, issued }: Shown): Promise<Answer> {
  const tokens = await operations.listRegistrationTokens(actor);
  const { longestDays, usable } = await operations.listAccessTokens(actor);
  const wrong = faults.length > 0;
  const { days, ...shownForm } = form;
  const model: RegistrationTokensPage = {
    action: REGISTRATION_TOKENS_PATH,
    usable: usable === 'Yes',
    form: shownForm,
    faults: Object.fromEntries(FIELDS.map((field) => [field, faultOf(faults, field)])) as RegistrationTokensPage['faults'],
    lifetimes: lifetimeChoices(longestDays, days),
    errors: faults.map(({ field = '', message }) => ({ message, href: `#${fieldOf(field)}` })),
    issued: issued !== undefined && issuedOf(issued, publicUrl),
    revoked: query.has('revoked'),
    tokens: tokens.map((token) => rowOf(token, actor.user)),
  };
  const title = `${wrong ? 'Error: ' : ''}Registration tokens`;
  return { view: 'admin/registration-tokens', title, section: 'none', model, ...(wrong ? { status: 422 } : {}) };
}

const FIELDS = ['name', 'names', 'uses', 'spec', 'projects', 'expires'] as const;

function faultOf(faults: readonly FieldFault[], field: (typeof FIELDS)[number]): string {
  return faults
    .filter((one) => fieldOf(one.field ?? '') === field)
    .map(({ message }) => message)
    .join('; ');
}

/** The field of the form that a fault of the api-server or of ours is about: `spec.groups[0].name` is about the spec. */
function fieldOf(field: string): (typeof FIELDS)[number] {
  if (/^spec\.projects\b/.test(field)) return 'projects';
  if (field.startsWith('metadata.name')) return 'names';
  return FIELDS.find((one) => field === one || field.startsWith(`${one}.`) || field.startsWith(`${one}[`)) ?? 'spec';
}

/** The text of the token is in the answer to the form itself: in no address, and in nothing that could be fetched again. */
async function create(deps: WebDeps, visit: Visit): Promise<Answer> {
  const { actor, body, requestOrigin } = visit;
  const form = formOf(body);
  try {
    const { spec, projects } = { spec: specIn(form.spec), projects: projectsIn(form.projects) };
    const issued = await deps.operations.createRegistrationToken(actor, {
      name: form.name,
      names: form.names,
      uses: /^\d{1,3}$/.test(form.uses.trim()) ? Number(form.uses) : 0,
      spec,
      projects: allowedProjectsIn(projects),
      expires: endAfter(form.days),
      ...requestOrigin,
    });
    return await show(deps, visit, { form: EMPTY_FORM, faults: [], issued });
  } catch (error) {
    if (!isAppError(error, 'InvalidInput', 'LimitReached')) throw error;
    const faults = error.faults.length > 0 ? error.faults.map(named) : [{ field: 'spec', message: error.message }];
    return await show(deps, visit, { form, faults });
  }
}

/** A field within the YAML is named where the form only has the YAML. */
function named({ field = '', message }: FieldFault): FieldFault {
  return { field, message: field.startsWith('spec.') ? `${field}: ${message}` : message };
}

function formOf(body: URLSearchParams): RegistrationForm {
  const text = (name: string): string => body.get(name) ?? '';
  return {
    name: text('name'),
    names: text('names'),
    uses: text('uses'),
    days: daysIn(body),
    spec: text('spec'),
    projects: text('projects'),
  };
}

function specIn(text: string): JsonObject {
  const { value = {}, fault } = readYaml(text);
  if (fault !== undefined) throw wrong('spec', fault);
  if (!isObject(value)) throw wrong('spec', 'Enter a map: the spec of an Environment');
  return value;
}

function projectsIn(text: string): readonly unknown[] {
  const { value = [], fault } = readYaml(text);
  if (fault !== undefined) throw wrong('projects', fault);
  const isList = Array.isArray(value) && value.every((one) => (textAt(one, 'name') ?? '') !== '');
  if (!isList) throw wrong('projects', 'Enter a list of projects, each with a name');
  return value;
}

function wrong(field: string, message: string): AppError {
  return new AppError('InvalidInput', `registration token: ${message}`, { faults: [{ field, message }] });
}

function issuedOf({ registrationToken, text }: IssuedRegistrationToken, publicUrl: string): RegistrationTokensPage['issued'] {
  const { name, names, expires } = registrationToken;
  const body = JSON.stringify({ name: names.replace('*', 'example') });
  const curl = `curl -X POST -H "Authorization: Bearer $CHANDLERY_TOKEN" -H 'Content-Type: application/json' \\\n  ${publicUrl}${REGISTRATION_PATH} -d '${body}'`;
  return { name, text: text.reveal(), expires, curl };
}

const USED_UP: Badge = { label: 'Used up', tone: 'idle', symbol: 'check' };

function rowOf(token: RegistrationTokenView, reader: string): RegistrationTokenRow {
  const { id, name, user, names, uses, registered, spec, projects, expires, lastUsed = '', state } = token;
  return {
    id,
    name,
    user,
    names,
    spec: yamlText(spec),
    projects: projects.map((project) => project.name).join(', '),
    used: `${registered} of ${uses}`,
    expires,
    lastUsed,
    state: state === 'UsedUp' ? USED_UP : TOKEN_STATE_BADGES[state],
    rotateAction: user === reader ? `${REGISTRATION_TOKENS_PATH}/${id}/rotation` : '',
    revokeHref: `${REGISTRATION_TOKENS_PATH}/${id}/revocation`,
  };
}
