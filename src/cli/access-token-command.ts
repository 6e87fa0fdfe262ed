import { textAt, textsAt } from '../domain/core/read.ts';
import { TOKEN_SCOPES } from '../domain/kubernetes/access-limits.ts';
import { listAll } from './api.ts';
import { textColumn } from './catalog-commands.ts';
import { type Call, type ClientCommand, listing, type Result } from './client-command.ts';
import { choiceOf, wrong } from './options.ts';
import { ageOf } from './output.ts';

const ACTIONS = ['list', 'create', 'revoke'] as const;
const DAY = 86_400_000;

/** `chandlery access-token`. */
export const ACCESS_TOKEN_COMMAND: ClientCommand = {
  name: 'access-token',
  usage: 'list|create|revoke [NAME|ID]',
  summary: 'list your personal access tokens, create one and print it, or revoke one',
  words: { least: 1, most: 2, kinds: [] },
  options: [
    { name: 'scope', value: 'SCOPE', choices: TOKEN_SCOPES, help: 'of a new token: read (default) or write' },
    {
      name: 'environment',
      short: 'e',
      value: 'NAME',
      many: 'many',
      completes: 'environment',
      help: 'limit a new token to this environment; default: all that you see',
    },
    { name: 'days', value: 'COUNT', help: 'the lifetime of a new token in days; default 30' },
  ],
  examples: ['chandlery access-token list', 'chandlery access-token create report --scope read -e team-a --days 90'],
  act: async (call) => await actOnTokens(call),
};

async function actOnTokens(call: Call): Promise<Result> {
  const [word, name] = call.args.words;
  const action = choiceOf('access-token', word, ACTIONS);
  if (action === 'list') return await listTokens(call);
  if (name === undefined) throw wrong('access-token', action === 'create' ? 'name the new token' : 'name the id of the token');
  return action === 'create' ? await createToken(call, name) : await revokeToken(call, name);
}

async function listTokens({ api }: Call): Promise<Result> {
  return listing({
    items: await listAll(api, 'listAccessTokens'),
    columns: [
      textColumn('ID', 'id'),
      textColumn('NAME', 'name'),
      textColumn('SCOPE', 'scope'),
      { title: 'ENVIRONMENTS', cell: (token) => textsAt(token, 'environments').join(',') || 'all' },
      textColumn('STATE', 'state'),
      {
        title: 'USED',
        cell: (token) => (textAt(token, 'lastUsed') === undefined ? 'never' : ageOf(textAt(token, 'lastUsed'), Date.now())),
      },
      { title: 'EXPIRES', cell: (token) => (textAt(token, 'expires') ?? '').slice(0, 10) },
    ],
    nameOf: (token) => textAt(token, 'id') ?? '',
    empty: 'You have no personal access tokens.',
  });
}

/** The text of the token alone goes to the standard output, for `TOKEN=$(…)`. */
async function createToken({ api, args, note }: Call, name: string): Promise<Result> {
  const days = args.text('days');
  if (days !== undefined && !isCount(days)) throw wrong('access-token', `--days: ${JSON.stringify(days)} is not a number of days`);
  const environments = args.texts('environment');
  const body = {
    name,
    scope: args.text('scope') ?? 'read',
    ...(environments.length === 0 ? {} : { environments }),
    ...(days === undefined ? {} : { expires: untilAfter(days) }),
  };
  const data = await api.call('createAccessToken', { body });
  const [id = '', expires = ''] = ['id', 'expires'].map((key) => textAt(data, 'accessToken', key));
  note(`Token ${id}, valid until ${expires}. It is not shown again.`);
  return { data, names: [id], text: () => `${textAt(data, 'token') ?? ''}\n` };
}

/** Whether an option is a number from 1 to 999. */
export function isCount(text: string): boolean {
  return /^[1-9]\d{0,2}$/.test(text);
}

/** The end of so many days, RFC 3339: a moment earlier, so that the longest lifetime that the server allows can be asked for. */
export function untilAfter(days: string): string {
  return new Date(Date.now() + Number(days) * DAY - 60_000).toISOString();
}

async function revokeToken({ api }: Call, id: string): Promise<Result> {
  await api.call('revokeAccessToken', { params: { id } });
  return { data: { id }, names: [id], text: () => `access token ${id} revoked\n` };
}
