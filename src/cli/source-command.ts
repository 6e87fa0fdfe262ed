import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../domain/core/errors.ts';
import { listAt, numberAt, textAt } from '../domain/core/read.ts';
import { listAll } from './api.ts';
import { textColumn } from './catalog-commands.ts';
import { ANSWER_NO, type Call, type ClientCommand, listing, type Result } from './client-command.ts';
import { choiceOf, durationOf, wrong } from './options.ts';
import { ageOf } from './output.ts';
import { oneLine } from '../domain/core/plain-text.ts';

const ACTIONS = ['list', 'sync', 'suspend', 'resume'] as const;
const OPERATIONS = { sync: 'syncSource', suspend: 'suspendSource', resume: 'resumeSource' } as const;

/** `chandlery source`. */
export const SOURCE_COMMAND: ClientCommand = {
  name: 'source',
  usage: 'list|sync|suspend|resume [NAME]',
  summary: 'list the CatalogSources, sync one now, suspend or resume it (admins)',
  words: { least: 1, most: 2, kinds: ['source-action', 'source'] },
  options: [
    {
      name: 'wait',
      help: 'of sync: wait until the source is in sync; exit with 3 if it is not in time, has faults or waits for an approval',
    },
    { name: 'timeout', value: 'DURATION', help: 'how long to wait; default 5m' },
  ],
  examples: ['chandlery source list', 'chandlery source sync catalog --wait', 'chandlery approve source/catalog'],
  act: async (call) => await actOnSource(call),
};

async function actOnSource(call: Call): Promise<Result> {
  const { api, args } = call;
  const [word, name] = args.words;
  const action = choiceOf('source', word, ACTIONS);
  if (action === 'list') return await listSources(call);
  if (name === undefined) throw wrong('source', `name the source, e.g. chandlery source ${action} catalog`);
  const params = { name };
  const before = await api.call('showSource', { params });
  const after = await api.call(OPERATIONS[action], { params });
  if (action === 'sync' && args.flag('wait')) return await waitedSource(call, name, before);
  const done = { sync: 'sync requested', suspend: 'suspended', resume: 'resumed' }[action];
  return { data: after, names: [name], text: () => `source/${name} ${done}\n` };
}

async function listSources({ api }: Call): Promise<Result> {
  return listing({
    items: await listAll(api, 'listSources'),
    columns: [
      textColumn('NAME', 'name'),
      textColumn('STATE', 'state'),
      { title: 'REVISION', cell: (source) => (textAt(source, 'lastAppliedRevision') ?? '').slice(0, 19) || '-' },
      { title: 'RESOURCES', cell: (source) => String(numberAt(source, 'resources') ?? 0) },
      { title: 'FAULTS', cell: (source) => String(listAt(source, 'faults').length) },
      { title: 'APPLIED', cell: (source) => ageOf(textAt(source, 'lastAppliedTime'), Date.now()) },
      { title: 'MESSAGE', cell: (source) => oneLine(textAt(source, 'message') ?? '') || '-', wide: 'wide' },
    ],
    nameOf: (source) => textAt(source, 'name') ?? '',
    empty: 'There is no CatalogSource.',
  });
}

const EVERY_MS = 1_000;
/** Longer than the controller needs to see the request, so that an answer is not the one from before. */
const SETTLED_MS = 3_000;

/** Until the state is one in which nothing goes on by itself, and belongs to a look after the request. */
async function waitedSource({ api, args, note, signal }: Call, name: string, before: unknown): Promise<Result> {
  const began = performance.now();
  const end = began + durationOf('source', 'timeout', args.text('timeout') ?? '5m');
  let said = '';
  for (;;) {
    const source = await api.call('showSource', { params: { name } });
    const state = textAt(source, 'state') ?? '';
    const line = oneLine(`${state}: ${textAt(source, 'message') ?? ''}`);
    if (line !== said) note(line);
    said = line;
    const isNew = textAt(source, 'etag') !== textAt(before, 'etag') && performance.now() - began > SETTLED_MS;
    const isOver = performance.now() > end;
    if (isOver || (isNew && state !== 'Syncing')) {
      const isSynced = state === 'Synced' && !isOver;
      return { data: source, names: [name], text: () => `source/${name} ${line}\n`, code: isSynced ? 0 : ANSWER_NO };
    }
    await sleep(EVERY_MS, undefined, { signal });
  }
}

/** Lets exactly the revision that waits delete as much as it does. */
export async function approveSource({ api, args }: Call, name: string): Promise<Result> {
  const source = await api.call('showSource', { params: { name } });
  const revision = textAt(source, 'awaitsApproval');
  if (revision === undefined) throw new AppError('ApprovalInvalid', `source/${name}: no revision waits for an approval`);
  const text = (): string => `source/${name} deletions of ${revision} approved\n`;
  if (args.flag('dry-run')) return { data: source, names: [name], text: () => `${oneLine(textAt(source, 'message') ?? '')}\n` };
  return { data: await api.call('approvePrune', { params: { name }, body: { revision } }), names: [name], text };
}
