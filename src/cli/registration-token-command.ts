import { at, listAt, numberAt, textAt } from '../domain/core/read.ts';
import { isCount, untilAfter } from './access-token-command.ts';
import { listAll } from './api.ts';
import { textColumn } from './catalog-commands.ts';
import { type Call, type ClientCommand, listing, type Result } from './client-command.ts';
import { choiceOf, wrong } from './options.ts';
import { contentInFiles } from './values.ts';

const ACTIONS = ['list', 'create', 'rotate', 'revoke'] as const;
const COMMAND = 'registration-token';

/** `chandlery registration-token`. */
export const REGISTRATION_TOKEN_COMMAND: ClientCommand = {
  name: COMMAND,
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
  const action = choiceOf(COMMAND, word, ACTIONS);
  if (action === 'list') return await listTokens(call);
  if (name === undefined) throw wrong(COMMAND, action === 'create' ? 'name the new token' : 'name the id of the token');
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
  if (names === undefined) throw wrong(COMMAND, 'name the environments that it registers: --names team-x-*');
  for (const [option, value] of Object.entries({ uses, days }))
    if (value !== undefined && !isCount(value)) throw wrong(COMMAND, `--${option}: ${JSON.stringify(value)} is not a number`);
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
