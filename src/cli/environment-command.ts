import { at, isObject, listAt, numberAt, objectAt, textAt, textsAt } from '../domain/core/read.ts';
import { listAll } from './api.ts';
import { textColumn } from './catalog-commands.ts';
import { type Call, type ClientCommand, listing, type Result } from './client-command.ts';
import { choiceOf, type Option, wrong } from './options.ts';
import { bullets, preflightResult } from './preflight-text.ts';
import { contentInFiles, VALUE_OPTIONS, withFields } from './values.ts';

const ACTIONS = ['create', 'change', 'delete', 'register'] as const;
const API_VERSION = 'chandlery.dev/v1alpha1';

const DRY_RUN: Option = { name: 'dry-run', help: 'check or preview, and write nothing; exit with 3 if something blocks' };

/** `chandlery environments`. */
export const ENVIRONMENTS_COMMAND: ClientCommand = {
  name: 'environments',
  usage: '[create|change|delete|register NAME]',
  summary: 'list the environments that you can see; create, change or delete one (admins); register one with a registration token',
  words: { least: 0, most: 2, kinds: ['environment-action', 'environment'] },
  options: [
    ...VALUE_OPTIONS.map((option) =>
      option.name === 'set' ? { ...option, help: 'set one field of the spec, with a value in YAML, e.g. spec.tier=staging' } : option,
    ),
    { name: 'unset', value: 'FIELD', many: 'many', help: 'of change: remove one field, so that its default applies' },
    DRY_RUN,
  ],
  examples: [
    'chandlery environments',
    'chandlery environments create shop -f shop.yaml --dry-run',
    'chandlery environments change shop --set spec.tier=staging',
    'chandlery environments delete shop --dry-run',
    'CHANDLERY_TOKEN=$REGISTRATION_TOKEN chandlery environments register team-x-shop --set spec.owner=team-x',
  ],
  act: async (call) => await act(call),
};

async function act(call: Call): Promise<Result> {
  const [word, name] = call.args.words;
  if (word === undefined) return await list(call);
  const action = choiceOf('environments', word, ACTIONS);
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
    await api.call('deleteEnvironment', { params });
    return done(params, environment, 'deletion accepted');
  }
  const preview = await api.call('deleteEnvironment', { params, query: { dryRun: 'All' } });
  const claims = at(preview, 'volumeClaims');
  const counts = [...listAt(preview, 'instances'), ...(isObject(claims) ? [claims] : [])].map(
    (one) => `${numberAt(one, 'count') ?? 0} ${textAt(one, 'kind') ?? ''}: ${textsAt(one, 'names').join(', ')}`,
  );
  const missing = listAt(preview, 'missing').map((one) => `${textAt(one, 'verb') ?? ''} ${textAt(one, 'resource') ?? ''}`);
  return {
    data: preview,
    names: [environment],
    text: () =>
      [
        `Reclaim ${textAt(preview, 'reclaim') ?? ''}, namespace ${textAt(preview, 'namespace') ?? ''}\n`,
        bullets('Deleted', textsAt(preview, 'goes')),
        bullets('Kept', textsAt(preview, 'stays')),
        bullets('In the namespace', counts),
        bullets('Not counted, missing permissions', missing),
      ]
        .filter((section) => section !== '')
        .join('\n'),
  };
}
