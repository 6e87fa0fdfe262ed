import { open } from 'node:fs/promises';
import { MAX_ARCHIVE_BYTES } from '../domain/app-definition/uploaded-chart.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { numberAt, textAt, textsAt } from '../domain/core/read.ts';
import { listAll } from './api.ts';
import { textColumn } from './catalog-commands.ts';
import { type Call, type ClientCommand, listing, type Result } from './client-command.ts';
import { choiceOf, wrong } from './options.ts';
import { ageOf } from './output.ts';

const ACTIONS = ['list', 'upload', 'delete'] as const;

/** `chandlery charts`. */
export const CHARTS_COMMAND: ClientCommand = {
  name: 'charts',
  usage: 'list|upload|delete [FILE|NAME]',
  summary: 'list the uploaded charts, upload one, or delete one that nothing refers to (admins)',
  words: { least: 1, most: 2, kinds: [] },
  options: [],
  examples: ['chandlery charts upload web-1.2.0.tgz', 'chandlery charts list', 'chandlery charts delete web-1.2.0'],
  act: async (call) => await actOnCharts(call),
};

async function actOnCharts(call: Call): Promise<Result> {
  const { api, args } = call;
  const [word, name] = args.words;
  const action = choiceOf('charts', word, ACTIONS);
  if (action === 'list') return await listCharts(call);
  if (name === undefined) throw wrong('charts', action === 'upload' ? 'name the file of the chart' : 'name the chart, e.g. web-1.2.0');
  if (action === 'delete') {
    await api.call('deleteUploadedChart', { params: { chart: name } });
    return { data: { id: name }, names: [name], text: () => `chart/${name} deleted\n` };
  }
  const chart = await api.call('uploadChart', { body: { archive: (await bytesOf(name)).toString('base64') } });
  const [id = '', address = ''] = [textAt(chart, 'id'), textAt(chart, 'address')];
  return { data: chart, names: [id], text: () => `chart/${id} uploaded; spec.chartURL: ${address}\n` };
}

async function listCharts({ api }: Call): Promise<Result> {
  return listing({
    items: await listAll(api, 'listUploadedCharts'),
    columns: [
      textColumn('NAME', 'id'),
      textColumn('CHART', 'name'),
      textColumn('VERSION', 'version'),
      { title: 'KIB', cell: (chart) => String(Math.ceil((numberAt(chart, 'size') ?? 0) / 1024)) },
      { title: 'AGE', cell: (chart) => ageOf(textAt(chart, 'created'), Date.now()) },
      { title: 'USED BY', cell: (chart) => textsAt(chart, 'usedBy').join(', ') || '-' },
      { ...textColumn('ADDRESS', 'address'), wide: 'wide' },
    ],
    nameOf: (chart) => textAt(chart, 'id') ?? '',
    empty: 'No chart was uploaded.',
  });
}

/** Not read further than an archive may be long. */
async function bytesOf(file: string): Promise<Buffer> {
  try {
    await using handle = await open(file);
    const { size } = await handle.stat();
    if (size > MAX_ARCHIVE_BYTES)
      throw new AppError('TooLarge', `${file}: it is larger than ${MAX_ARCHIVE_BYTES / 1024} KiB; push it to a registry`);
    return await handle.readFile();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('InvalidInput', `${file}: it cannot be read: ${messageOf(cause)}`, { cause });
  }
}
