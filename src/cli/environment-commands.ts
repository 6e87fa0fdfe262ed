import { at, listAt, numberAt, objectAt, textAt, textsAt } from '../domain/core/read.ts';
import { DELETION_INTENTS } from '../domain/kubernetes/deletion-intent.ts';
import { memberText } from '../domain/environment/environment-members.ts';
import { listAll } from './api.ts';
import { textColumn } from './catalog-commands.ts';
import { type Call, type ClientCommand, dryRunOption, listing, type Result } from './client-command.ts';
import { choiceOf, type Option, wrong } from './options.ts';
import { bullets, preflightResult } from './preflight-text.ts';
import { contentInFiles, VALUE_OPTIONS, withFields } from './values.ts';
import { isCount, untilAfter } from './access-token-command.ts';

const ENVIRONMENT_ACTIONS = ['create', 'change', 'delete', 'keep', 'register'] as const;
const API_VERSION = 'chandlery.dev/v1alpha1';

const DRY_RUN = dryRunOption('check or preview, and write nothing');

const INTENT: Option = {
  name: 'intent',
  value: 'INTENT',
  help: 'of delete: Cascade deletes the instances with the namespace, Orphan leaves them without an environment; needed while there are any',
};

/** `chandlery environments`. */
export const ENVIRONMENTS_COMMAND: ClientCommand = {
  name: 'environments',
  usage: '[create|change|delete|keep|register NAME]',
  summary:
    'list the environments that you can see; create, change or delete one, or keep one that is being deleted (admins); register one with a registration token',
  words: { least: 0, most: 2, kinds: ['environment-action', 'environment'] },
  options: [
    ...VALUE_OPTIONS.map((option) =>
      option.name === 'set' ? { ...option, help: 'set one field of the spec, with a value in YAML, e.g. spec.tier=staging' } : option,
    ),
    { name: 'unset', value: 'FIELD', many: 'many', help: 'of change: remove one field, so that its default applies' },
    INTENT,
    DRY_RUN,
  ],
  examples: [
    'chandlery environments',
    'chandlery environments create shop -f shop.yaml --dry-run',
    'chandlery environments change shop --set spec.tier=staging',
    'chandlery environments delete shop --dry-run',
    'chandlery environments delete shop --intent Cascade',
    'chandlery environments keep shop',
    'CHANDLERY_TOKEN=$REGISTRATION_TOKEN chandlery environments register team-x-shop --set spec.owner=team-x',
  ],
  act: async (call) => await act(call),
};

async function act(call: Call): Promise<Result> {
  const [word, name] = call.args.words;
  if (word === undefined) return await list(call);
  const action = choiceOf('environments', word, ENVIRONMENT_ACTIONS);
  const { content, name: named } = await contentInFiles(call.args.texts('file'));
  const environment = name ?? named;
  if (environment === undefined) throw wrong('environments', `name the environment, e.g. chandlery environments ${action} shop`);
  switch (action) {
    case 'create':
      return await create(call, environment, content);
    case 'change':
      return await change(call, environment, content);
    case 'delete':
      return await remove(call, environment);
    case 'keep':
      await call.api.call('keepEnvironment', { params: { environment } });
      return done({ environment }, environment, 'deletion cancelled');
    case 'register':
      return await register(call, environment, content);
    default:
      return action satisfies never;
  }
}

async function list({ api }: Call): Promise<Result> {
  return listing({
    items: await listAll(api, 'listEnvironments'),
    columns: [
      textColumn('NAME', 'name'),
      textColumn('TIER', 'tier'),
      textColumn('NAMESPACE', 'namespace'),
      { title: 'STATUS', cell: (item) => (at(item, 'ready') === true ? 'Ready' : 'Not ready') },
      { title: 'MESSAGE', cell: (item) => textAt(item, 'message') || '-' },
      { title: 'GROUPS', cell: (item) => listAt(item, 'groups').map(roleText).join(','), wide: 'wide' },
    ],
    nameOf: (item) => textAt(item, 'name') ?? '',
    empty: 'You can see no environment. Ask an admin for a role in one.',
  });
}

function roleText(group: unknown): string {
  return `${textAt(group, 'name') ?? ''}=${textAt(group, 'role') ?? ''}`;
}

type Content = Readonly<Record<string, unknown>>;

async function create({ api, args }: Call, name: string, content: Content): Promise<Result> {
  const { metadata, ...members } = withFields(content, args, { form: ANY_FIELD });
  const body = { apiVersion: API_VERSION, kind: 'Environment', metadata: { ...objectAt(metadata), name }, spec: {}, ...members };
  if (args.flag('dry-run')) return preflightResult(await api.call('createEnvironment', { query: { dryRun: 'All' }, body }), [name]);
  return done(await api.call('createEnvironment', { body }), name, 'created');
}

/** Of the fields of an Environment, those that the token leaves to its holder. */
async function register({ api, args }: Call, name: string, content: Content): Promise<Result> {
  const { spec } = withFields(content, args, { form: ANY_FIELD });
  return done(await api.call('registerEnvironment', { body: { ...objectAt(spec), name } }), name, 'registered');
}

/** The types of fields are the api-server's business: a value is what it is in YAML. */
const ANY_FIELD = { root: { kind: 'yaml' } };

async function change({ api, args }: Call, environment: string, content: Content): Promise<Result> {
  const params = { environment };
  const live = objectAt(await api.call('showEnvironment', { params }), 'object');
  const body = withFields(content, args, { form: ANY_FIELD, live });
  if (Object.keys(body).length === 0) throw wrong('environments', 'say what to change: --set, --unset or -f');
  if (args.flag('dry-run'))
    return preflightResult(await api.call('updateEnvironment', { params, query: { dryRun: 'All' }, body }), [environment]);
  return done(await api.call('updateEnvironment', { params, body }), environment, 'changed');
}

function done(data: unknown, name: string, did: string): Result {
  return { data, names: [name], text: () => `environment/${name} ${did}\n` };
}

async function remove({ api, args }: Call, environment: string): Promise<Result> {
  const params = { environment };
  if (!args.flag('dry-run')) {
    const intent = args.text('intent');
    const query = intent === undefined ? {} : { intent: choiceOf('environments', intent, DELETION_INTENTS) };
    await api.call('deleteEnvironment', { params, query });
    return done(params, environment, 'deletion accepted');
  }
  const preview = await api.call('deleteEnvironment', { params, query: { dryRun: 'All' } });
  const counts = [...listAt(preview, 'instances'), at(preview, 'volumeClaims')].flatMap((one) => {
    const count = numberAt(one, 'count') ?? 0;
    return count === 0 ? [] : [`${count} ${textAt(one, 'kind') ?? ''}: ${textsAt(one, 'names').join(', ')}`];
  });
  const members = listAt(preview, 'members').map((one) => {
    const [kind = '', name = '', role = ''] = ['kind', 'name', 'role'].map((key) => textAt(one, key));
    const namespace = textAt(one, 'namespace');
    return memberText({ kind, name, role, ...(namespace === undefined ? {} : { namespace }) });
  });
  const missing = listAt(preview, 'missing').map((one) => `${textAt(one, 'verb') ?? ''} ${textAt(one, 'resource') ?? ''}`);
  return {
    data: preview,
    names: [environment],
    text: () =>
      [
        `Reclaim ${textAt(preview, 'reclaim') ?? ''}, namespace ${textAt(preview, 'namespace') ?? ''}\n`,
        bullets('Deleted', textsAt(preview, 'goes')),
        bullets('Kept', textsAt(preview, 'stays')),
        bullets('Members who lose access', members),
        bullets('In the namespace', counts),
        bullets('Not counted, missing permissions', missing),
      ]
        .filter((section) => section !== '')
        .join('\n'),
  };
}

const TOKEN_ACTIONS = ['list', 'create', 'rotate', 'revoke'] as const;
const TOKEN_COMMAND = 'registration-token';

/** `chandlery registration-token`. */
export const REGISTRATION_TOKEN_COMMAND: ClientCommand = {
  name: TOKEN_COMMAND,
  usage: 'list|create|rotate|revoke [NAME|ID]',
  summary: 'list the tokens that register Environments; issue one and print it, rotate or revoke one (admins)',
  words: { least: 1, most: 2, kinds: [] },
  options: [
    { name: 'names', value: 'PATTERN', help: 'of a new token: the names that it registers, e.g. team-x-*' },
    { name: 'uses', value: 'COUNT', help: 'of a new token: the environments that it registers in all; default 1' },
    { name: 'project', value: 'PROJECT', many: 'many', help: 'of a new token: a CI project that its holder may name, e.g. team-x/*' },
    { name: 'days', value: 'COUNT', help: 'the lifetime of a new token in days; default 30' },
    {
      name: 'file',
      short: 'f',
      value: 'FILE',
      completes: 'file',
      help: 'the spec of each Environment as YAML; - reads the standard input',
    },
  ],
  examples: ['chandlery registration-token create team-x --names team-x-* -f team-x.yaml --days 7', 'chandlery registration-token list'],
  act: async (call) => await actOnTokens(call),
};

async function actOnTokens(call: Call): Promise<Result> {
  const [word, name] = call.args.words;
  const action = choiceOf(TOKEN_COMMAND, word, TOKEN_ACTIONS);
  if (action === 'list') return await listTokens(call);
  if (name === undefined) throw wrong(TOKEN_COMMAND, action === 'create' ? 'name the new token' : 'name the id of the token');
  switch (action) {
    case 'create':
      return await createToken(call, name);
    case 'rotate':
      return issued(call, await call.api.call('rotateRegistrationToken', { params: { id: name } }));
    case 'revoke':
      await call.api.call('revokeRegistrationToken', { params: { id: name } });
      return { data: { id: name }, names: [name], text: () => `registration token ${name} revoked\n` };
    default:
      return action satisfies never;
  }
}

async function listTokens({ api }: Call): Promise<Result> {
  return listing({
    items: await listAll(api, 'listRegistrationTokens'),
    columns: [
      textColumn('ID', 'id'),
      textColumn('NAME', 'name'),
      textColumn('USER', 'user'),
      textColumn('NAMES', 'names'),
      { title: 'REGISTERED', cell: (token) => `${numberAt(token, 'registered') ?? 0}/${numberAt(token, 'uses') ?? 0}` },
      textColumn('STATE', 'state'),
      { title: 'EXPIRES', cell: (token) => (textAt(token, 'expires') ?? '').slice(0, 10) },
      {
        title: 'PROJECTS',
        cell: (token) =>
          listAt(token, 'projects')
            .map((one) => textAt(one, 'name'))
            .join(','),
        wide: 'wide',
      },
    ],
    nameOf: (token) => textAt(token, 'id') ?? '',
    empty: 'There are no registration tokens.',
  });
}

async function createToken(call: Call, name: string): Promise<Result> {
  const { args } = call;
  const [names, uses, days, file] = ['names', 'uses', 'days', 'file'].map((option) => args.text(option));
  if (names === undefined) throw wrong(TOKEN_COMMAND, 'name the environments that it registers: --names team-x-*');
  for (const [option, value] of Object.entries({ uses, days }))
    if (value !== undefined && !isCount(value)) throw wrong(TOKEN_COMMAND, `--${option}: ${JSON.stringify(value)} is not a number`);
  const { content } = await contentInFiles(file === undefined ? [] : [file]);
  const spec = at(content, 'spec');
  const body = {
    name,
    names,
    projects: args.texts('project').map((project) => ({ name: project })),
    ...(uses === undefined ? {} : { uses: Number(uses) }),
    ...(spec === undefined ? {} : { spec }),
    ...(days === undefined ? {} : { expires: untilAfter(days) }),
  };
  return issued(call, await call.api.call('createRegistrationToken', { body }));
}

/** The text of the token alone goes to the standard output, for `TOKEN=$(…)`. */
function issued({ note }: Call, data: unknown): Result {
  const [id = '', expires = ''] = ['id', 'expires'].map((key) => textAt(data, 'registrationToken', key));
  note(`Token ${id}, valid until ${expires}. It is not shown again.`);
  return { data, names: [id], text: () => `${textAt(data, 'token') ?? ''}\n` };
}
