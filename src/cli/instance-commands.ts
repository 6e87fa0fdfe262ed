import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { at, listAt, numberAt, textAt, textsAt } from '../domain/core/read.ts';
import { AppError, isAppError } from '../domain/core/errors.ts';
import { findInstance, type InstanceParams, listAll } from './api.ts';
import { textColumn } from './catalog-commands.ts';
import { ANSWER_NO, type Call, type ClientCommand, ENVIRONMENT_OPTION, listing, type Result } from './client-command.ts';
import { durationOf, type Option, wrong } from './options.ts';
import { ageOf, colored, type Column, tableOf } from './output.ts';
import { manyLines, oneLine } from '../domain/core/plain-text.ts';
import { waitUntilHealthy } from './wait.ts';

const INSTANCE_WORDS = { least: 1, most: 1, kinds: ['instance'] } as const;

/** Waiting, wherever something takes time. */
export const WAIT_OPTIONS: readonly Option[] = [
  { name: 'wait', help: 'wait until the instance is healthy; exit with 3 if it is not in time' },
  { name: 'timeout', value: 'DURATION', help: 'how long to wait; default 5m' },
];

/** Commands that read instances. */
export const INSTANCE_COMMANDS: readonly ClientCommand[] = [
  {
    name: 'status',
    usage: '[INSTANCE]',
    summary: 'list the instances of an environment, or show the health and conditions of one',
    words: { least: 0, most: 1, kinds: ['instance'] },
    options: [
      ENVIRONMENT_OPTION,
      { name: 'all-environments', short: 'A', help: 'list the instances of all environments that you can see' },
      ...WAIT_OPTIONS,
      { name: 'exit-code', help: 'exit with 3 if an instance is neither Healthy nor Suspended' },
    ],
    examples: ['chandlery status -A', 'chandlery status orders -e team-a', 'chandlery status caches/orders -e team-a --wait --timeout 2m'],
    act: async (call) => (call.args.words.length === 0 ? await listStatuses(call) : await showStatus(call)),
  },
  {
    name: 'tree',
    usage: 'INSTANCE',
    summary: 'show the resource tree of an instance with the health of each resource',
    words: INSTANCE_WORDS,
    options: [
      ENVIRONMENT_OPTION,
      { name: 'kind', value: 'KIND', help: 'only this kind, with what stands above it' },
      { name: 'health', value: 'STATUS', help: 'only this health, e.g. Degraded' },
    ],
    examples: ['chandlery tree orders -e team-a', 'chandlery tree orders --health Degraded'],
    act: async (call) => await showTree(call),
  },
  {
    name: 'history',
    usage: 'INSTANCE',
    summary: 'list the earlier revisions of an instance, and how many fields a rollback to each would change',
    words: INSTANCE_WORDS,
    options: [
      ENVIRONMENT_OPTION,
      { name: 'releases', help: 'list the revisions of the Helm release of an instance of a chart instead' },
      { name: 'values', value: 'REVISION', help: 'print the values of one revision of the Helm release, sensitive ones masked' },
    ],
    examples: ['chandlery history orders -e team-a', 'chandlery history shop --releases', 'chandlery history shop --values 2'],
    act: async (call) => await showHistory(call),
  },
  {
    name: 'url',
    usage: 'INSTANCE',
    summary: 'print the addresses of an instance, those from outside the cluster first',
    words: INSTANCE_WORDS,
    options: [ENVIRONMENT_OPTION],
    examples: ['chandlery url orders -e team-a', 'curl "$(chandlery url orders -o name | head -1)"'],
    act: async (call) => await showAddresses(call),
  },
];

async function showHistory(call: Call): Promise<Result> {
  const { api, args } = call;
  const params = await findInstance(api, args.text('environment'), args.words[0] ?? '');
  const revision = args.text('values');
  if (revision !== undefined) return await showValues(call, params, revision);
  if (args.flag('releases')) {
    return listing({
      items: listAt(await api.call('listReleaseRevisions', { params }), 'items'),
      columns: RELEASE_COLUMNS,
      nameOf: (item) => String(numberAt(item, 'revision') ?? ''),
      empty: 'No Helm release.',
    });
  }
  const history = await api.call('listRevisions', { params });
  rejectMissing(history, params.name);
  return listing({
    items: listAt(history, 'items'),
    columns: HISTORY_COLUMNS,
    nameOf: (item) => String(numberAt(item, 'revision') ?? ''),
    empty: 'No earlier revisions.',
  });
}

async function showValues({ api }: Call, params: InstanceParams, revision: string): Promise<Result> {
  if (!/^[1-9]\d{0,8}$/.test(revision))
    throw wrong(
      'history',
      `--values: ${JSON.stringify(revision)} is no revision; "chandlery history ${params.name} --releases" lists them`,
    );
  const found = await api.call('showReleaseRevision', { params: { ...params, revision } });
  rejectMissing(found, params.name);
  return { data: found, names: [revision], text: () => stringify(at(found, 'values') ?? {}, { lineWidth: 0 }) };
}

function rejectMissing(answer: unknown, name: string): void {
  const [missing] = listAt(answer, 'missing');
  if (missing === undefined) return;
  const what = `${textAt(missing, 'verb') ?? ''} ${textAt(missing, 'resource') ?? ''} in the namespace ${textAt(missing, 'namespace') ?? ''}`;
  throw new AppError('Forbidden', `history of ${name}: the permission to ${what} is missing`);
}

const RELEASE_COLUMNS: readonly Column<unknown>[] = [
  { title: 'REVISION', cell: (item) => String(numberAt(item, 'revision') ?? '') },
  { title: 'RELEASED', cell: (item) => ageOf(textAt(item, 'time'), Date.now()) },
  { title: 'CHART', cell: (item) => `${textAt(item, 'chart') ?? ''} ${textAt(item, 'version') ?? ''}` },
  textColumn('STATUS', 'status'),
  { title: 'HEALTHY', cell: (item) => yesOrNo(at(item, 'healthy')) },
  { title: 'TESTED', cell: (item) => yesOrNo(at(item, 'tested')) },
];

function yesOrNo(value: unknown): string {
  if (value === undefined) return '-';
  return value === true ? 'yes' : 'no';
}

const HISTORY_COLUMNS: readonly Column<unknown>[] = [
  { title: 'REVISION', cell: (item) => String(numberAt(item, 'revision') ?? '') },
  { title: 'REPLACED', cell: (item) => ageOf(textAt(item, 'replaced'), Date.now()) },
  textColumn('BY', 'user'),
  { title: 'CHANGES', cell: (item) => String(listAt(item, 'changes').length) },
];

async function listStatuses({ api, args }: Call): Promise<Result> {
  const named = args.text('environment');
  const environments =
    named !== undefined && !args.flag('all-environments')
      ? [named]
      : (await listAll(api, 'listEnvironments')).map((one) => textAt(one, 'name') ?? '');
  const lists = await Promise.all(
    environments.map(async (environment) => await listAll(api, 'listInstances', { params: { environment } })),
  );
  const items = lists.flat();
  const isWell = items.every((item) => WELL.includes(textAt(item, 'health', 'status') ?? ''));
  return {
    ...listing({
      items,
      columns: STATUS_COLUMNS,
      nameOf: (item) => `${textAt(item, 'app') ?? ''}/${textAt(item, 'name') ?? ''}`,
      empty: 'No instances.',
    }),
    code: args.flag('exit-code') && !isWell ? ANSWER_NO : 0,
  };
}

const WELL: readonly string[] = ['Healthy', 'Suspended'];

const STATUS_COLUMNS: readonly Column<unknown>[] = [
  textColumn('ENVIRONMENT', 'environment'),
  { title: 'NAME', cell: (item) => `${(textAt(item, 'app') ?? '').split('.')[0] ?? ''}/${textAt(item, 'name') ?? ''}` },
  { title: 'HEALTH', cell: (item) => (at(item, 'deleting') === true ? 'Deleting' : (textAt(item, 'health', 'status') ?? '')) },
  { title: 'AGE', cell: (item) => ageOf(textAt(item, 'created'), Date.now()) },
  { title: 'MESSAGE', cell: (item) => shortened(textAt(item, 'health', 'message') ?? '') || '-' },
  { ...textColumn('APP', 'app'), wide: 'wide' },
];

function shortened(text: string): string {
  const line = oneLine(text);
  return line.length > 100 ? `${line.slice(0, 97)}...` : line;
}

async function showStatus(call: Call): Promise<Result> {
  const { api, args } = call;
  const params = await findInstance(api, args.text('environment'), args.words[0] ?? '');
  if (args.flag('wait')) return await waitedStatus(call, params);
  return statusResult(await api.call('showInstance', { params }), await api.call('showTree', { params }), args.flag('exit-code'));
}

/** Waits, then shows what there is. */
export async function waitedStatus(call: Call, params: InstanceParams): Promise<Result> {
  await waitUntilHealthy(call, params, durationOf('--wait', 'timeout', call.args.text('timeout') ?? '5m'));
  return statusResult(await call.api.call('showInstance', { params }), await call.api.call('showTree', { params }), true);
}

function statusResult(instance: unknown, tree: unknown, isJudging: boolean): Result {
  const status = textAt(tree, 'health', 'status') ?? textAt(instance, 'health', 'status') ?? '';
  return {
    data: instance,
    names: [`${textAt(instance, 'app') ?? ''}/${textAt(instance, 'name') ?? ''}`],
    code: isJudging && !WELL.includes(status) ? ANSWER_NO : 0,
    text: (style) => {
      const causes = textAt(tree, 'cause', 'message');
      const facts = [
        ['Instance', `${textAt(instance, 'app') ?? ''}/${textAt(instance, 'name') ?? ''}`],
        ['Environment', textAt(instance, 'environment') ?? ''],
        ['Health', style.colors ? colored(status) : status],
        ['Message', oneLine(textAt(tree, 'health', 'message') ?? textAt(instance, 'health', 'message') ?? '') || '-'],
        ...(causes === undefined ? [] : [['Cause', oneLine(causes)]]),
        ['Resources', String(numberAt(tree, 'count') ?? 0)],
        ['Age', ageOf(textAt(instance, 'created'), Date.now())],
      ];
      const head = facts.map(([name = '', value = '']) => `${`${name}:`.padEnd(14)}${value}\n`).join('');
      const conditions = listAt(instance, 'conditions');
      return conditions.length === 0 ? head : `${head}\n${tableOf(CONDITION_COLUMNS, conditions, style)}`;
    },
  };
}

const CONDITION_COLUMNS: readonly Column<unknown>[] = [
  textColumn('CONDITION', 'type'),
  textColumn('STATUS', 'status'),
  textColumn('REASON', 'reason'),
  { title: 'AGE', cell: (item) => ageOf(textAt(item, 'lastTransitionTime'), Date.now()) },
  { title: 'MESSAGE', cell: (item) => shortened(textAt(item, 'message') ?? '') || '-' },
];

async function showTree({ api, args, note }: Call): Promise<Result> {
  const params = await findInstance(api, args.text('environment'), args.words[0] ?? '');
  const [kind, health] = [args.text('kind'), args.text('health')];
  const query = { ...(kind === undefined ? {} : { kind }), ...(health === undefined ? {} : { health }) };
  const tree = await api.call('showTree', { params, query });
  const rows = treeRows(at(tree, 'root'), { first: '', rest: '' });
  const unreadable = textsAt(tree, 'unreadable');
  if (unreadable.length > 0) note(`You may not list these kinds here, so the tree can lack them: ${unreadable.join(', ')}`);
  return {
    data: tree,
    names: rows.map(({ node }) => `${resourceOf(node)}/${textAt(node, 'name') ?? ''}`),
    text: (style) => tableOf(TREE_COLUMNS, rows, style),
  };
}

function resourceOf(node: unknown): string {
  return textAt(node, 'resource') ?? (textAt(node, 'kind') ?? '').toLowerCase();
}

interface TreeRow {
  readonly node: unknown;
  readonly branch: string;
}

function treeRows(node: unknown, { first, rest }: { readonly first: string; readonly rest: string }): readonly TreeRow[] {
  const children = listAt(node, 'children');
  const below = children.flatMap((child, index) =>
    index === children.length - 1
      ? treeRows(child, { first: `${rest}└─`, rest: `${rest}  ` })
      : treeRows(child, { first: `${rest}├─`, rest: `${rest}│ ` }),
  );
  return [{ node, branch: first }, ...below];
}

const TREE_COLUMNS: readonly Column<TreeRow>[] = [
  { title: 'RESOURCE', cell: ({ node, branch }) => `${branch}${textAt(node, 'kind') ?? ''}/${textAt(node, 'name') ?? ''}` },
  { title: 'HEALTH', cell: ({ node }) => textAt(node, 'health', 'status') ?? '-' },
  { title: 'INFO', cell: ({ node }) => textAt(node, 'info') || '-' },
  { title: 'AGE', cell: ({ node }) => ageOf(textAt(node, 'created'), Date.now()) },
  { title: 'MESSAGE', cell: ({ node }) => shortened(textAt(node, 'health', 'message') ?? '') || '-', wide: 'wide' },
];

async function showAddresses({ api, args }: Call): Promise<Result> {
  const params = await findInstance(api, args.text('environment'), args.words[0] ?? '');
  const tree = await api.call('showTree', { params });
  const scopes = ['External', 'Node', 'Cluster'];
  const rank = (address: unknown): number => scopes.indexOf(textAt(address, 'scope') ?? '');
  const addresses = [...listAt(tree, 'addresses')].sort((a, b) => rank(a) - rank(b));
  if (addresses.length === 0) {
    throw new AppError(
      'NotFound',
      `instance "${params.name}": it has no address yet; "chandlery tree ${params.name}" shows what it consists of`,
    );
  }
  return {
    data: { items: addresses },
    names: addresses.map((address) => textAt(address, 'url') ?? textAt(address, 'address') ?? ''),
    text: (style) => tableOf(ADDRESS_COLUMNS, addresses, style),
  };
}

const ADDRESS_COLUMNS: readonly Column<unknown>[] = [
  { title: 'ADDRESS', cell: (one) => textAt(one, 'url') ?? textAt(one, 'address') ?? '' },
  textColumn('SCOPE', 'scope'),
  { title: 'RESOURCE', cell: (one) => `${textAt(one, 'kind') ?? ''}/${textAt(one, 'name') ?? ''}` },
  { title: 'PORT-FORWARD', cell: (one) => textAt(one, 'portForward') ?? '-', wide: 'wide' },
];

/** `chandlery logs`. */
export const LOGS_COMMAND: ClientCommand = {
  name: 'logs',
  usage: 'INSTANCE',
  summary: 'print the last lines of the pods of an instance, oldest first',
  words: { least: 1, most: 1, kinds: ['instance'] },
  options: [
    ENVIRONMENT_OPTION,
    { name: 'follow', short: 'f', help: 'go on with new lines until Ctrl-C' },
    { name: 'pod', value: 'NAME', help: 'only this pod' },
    { name: 'container', short: 'c', value: 'NAME', help: 'only this container' },
    { name: 'previous', short: 'p', help: 'the run before the last restart' },
    { name: 'tail', value: 'LINES', help: 'lines at most; default 200, at most 2000' },
    { name: 'search', value: 'TEXT', help: 'only lines with this text, in any letter case' },
    { name: 'timestamps', help: 'print the time of each line' },
  ],
  examples: ['chandlery logs orders -e team-a --follow', 'chandlery logs orders --previous --tail 50'],
  act: async (call) => await printLogs(call),
};

async function printLogs(call: Call): Promise<Result> {
  const { api, args, note } = call;
  const tail = args.text('tail') ?? '200';
  if (!/^[1-9]\d{0,3}$/.test(tail)) throw wrong('logs', `--tail: ${JSON.stringify(tail)} is not a number of lines from 1 to 2000`);
  const params = await findInstance(api, args.text('environment'), args.words[0] ?? '');
  const logs = await readLogs(call, params, tail);
  for (const notice of listAt(logs, 'notices'))
    note(`${textAt(notice, 'pod') ?? ''}/${textAt(notice, 'container') ?? ''}: ${textAt(notice, 'message') ?? ''}`);
  const more = numberAt(logs, 'more') ?? 0;
  if (more > 0) note(`${more} more pods were not read; name one with --pod`);
  const text = listAt(logs, 'lines').map((line) => lineText(line, call));
  if (!args.flag('follow'))
    return { data: logs, names: [...new Set(listAt(logs, 'lines').map((line) => textAt(line, 'pod') ?? ''))], text: () => text.join('') };
  call.print(text.join(''));
  return await follow(call, params, logs);
}

const EVERY_MS = 1_000;
const MAX_TAIL = '2000';

/** Until Ctrl-C. What was printed before is known by its time, and among lines of the same time by its text. */
async function follow(call: Call, params: InstanceParams, first: unknown): Promise<never> {
  let known = new Set(listAt(first, 'lines').map(keyOf));
  for (;;) {
    await sleep(EVERY_MS, undefined, { signal: call.signal });
    const lines = listAt(await readAgain(call, params), 'lines');
    const fresh = lines.filter((line) => !known.has(keyOf(line)));
    if (fresh.length > 0) call.print(fresh.map((line) => lineText(line, call)).join(''));
    if (lines.length > 0) known = new Set(lines.map(keyOf));
  }
}

/** The server may be away for a while. */
async function readAgain(call: Call, params: InstanceParams): Promise<unknown> {
  try {
    return await readLogs(call, params, MAX_TAIL);
  } catch (error) {
    if (!isAppError(error, 'ServerUnavailable', 'ClusterUnavailable', 'TooManyRequests', 'TooBusy')) throw error;
    call.note(error.message);
    return undefined;
  }
}

async function readLogs({ api, args }: Call, params: InstanceParams, lines: string): Promise<unknown> {
  const texts = (['pod', 'container', 'search'] as const).flatMap((name) => {
    const value = args.text(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const query = { lines, ...Object.fromEntries(texts), ...(args.flag('previous') ? { previous: 'true' } : {}) };
  return await api.call('showLogs', { params, query });
}

function keyOf(line: unknown): string {
  return JSON.stringify(['pod', 'container', 'time', 'text'].map((key) => textAt(line, key)));
}

function lineText(line: unknown, { args }: Call): string {
  const [pod = '', container = '', time = '', text = ''] = ['pod', 'container', 'time', 'text'].map((key) => textAt(line, key));
  return `${args.flag('timestamps') ? `${time} ` : ''}${pod}/${container}: ${manyLines(text).trimEnd()}\n`;
}
