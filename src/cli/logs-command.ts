import { setTimeout as sleep } from 'node:timers/promises';
import { isAppError } from '../domain/core/errors.ts';
import { listAt, numberAt, textAt } from '../domain/core/read.ts';
import { findInstance, type InstanceParams } from './api.ts';
import { type Call, type ClientCommand, ENVIRONMENT_OPTION, type Result } from './client-command.ts';
import { wrong } from './options.ts';
import { manyLines } from './output.ts';

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
const LARGEST_TAIL = '2000';

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
    return await readLogs(call, params, LARGEST_TAIL);
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
