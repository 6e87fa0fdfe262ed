import { numberAt, textAt, textsAt } from '../domain/core/read.ts';
import type { Composition, Manual } from '../operation/app/describe-app.ts';
import { compositionText, explanationText, manualText } from '../operation/app/description-text.ts';
import type { Explanation } from '../operation/app/explain-app.ts';
import { listAll } from './api.ts';
import { type Call, type ClientCommand, ENVIRONMENT_OPTION, listing, type Result } from './client-command.ts';
import { choiceOf, type Option, wrong } from './options.ts';
import { ageOf, type Column } from './output.ts';
import { open } from 'node:fs/promises';
import { MAX_ARCHIVE_BYTES } from '../domain/app-definition/uploaded-chart.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';

/** A column that shows one text of each item. */
export function textColumn(title: string, ...path: readonly string[]): Column<unknown> {
  return { title, cell: (item) => textAt(item, ...path) ?? '' };
}

const GROUP_OPTION: Option = { name: 'group', value: 'NAME', help: 'the API group of the app, where several have this kind' };

/** Commands about what the catalogue offers, and where. */
export const CATALOG_COMMANDS: readonly ClientCommand[] = [
  {
    name: 'apps',
    usage: '[SEARCH]',
    summary: 'list the apps of the catalogue',
    words: { least: 0, most: 1, kinds: [] },
    options: [{ name: 'category', value: 'NAME', many: 'many', help: 'only apps of this category; repeatable' }],
    examples: ['chandlery apps', 'chandlery apps database -o wide'],
    act: async (call) => await listApps(call),
  },
  {
    name: 'man',
    usage: 'APP',
    summary: 'show what an app is, how it is used, its fields and outputs, an example and its README',
    words: { least: 1, most: 1, kinds: ['app'] },
    options: [GROUP_OPTION],
    examples: ['chandlery man caches | less'],
    act: async (call) => await showManual(call),
  },
  {
    name: 'explain',
    usage: 'APP[.FIELD]',
    summary: 'describe the fields of an app: type, default, limits',
    words: { least: 1, most: 1, kinds: ['app'] },
    options: [{ ...ENVIRONMENT_OPTION, help: 'show the values and locks of this environment' }, GROUP_OPTION],
    examples: ['chandlery explain caches', 'chandlery explain caches.spec.memory'],
    act: async (call) => await explain(call),
  },
  {
    name: 'composition',
    usage: 'APP [INSTANCE]',
    summary: 'show which resources the instances of an app are composed of',
    words: { least: 1, most: 2, kinds: ['app', 'instance'] },
    options: [{ ...ENVIRONMENT_OPTION, help: 'only instances of this environment; default: all that you can see' }, GROUP_OPTION],
    examples: ['chandlery composition caches', 'chandlery composition caches orders -e team-a'],
    act: async (call) => await showComposition(call),
  },
];

async function listApps({ api, args }: Call): Promise<Result> {
  const [search] = args.words;
  const query = { ...(search === undefined ? {} : { search }), category: args.texts('category') };
  return listing({
    items: await listAll(api, 'listApps', { query }),
    columns: [
      textColumn('NAME', 'id'),
      textColumn('APP', 'displayName'),
      textColumn('VERSION', 'appVersion'),
      textColumn('CATEGORY', 'category'),
      textColumn('STATUS', 'availability'),
      { ...textColumn('SUMMARY', 'summary'), wide: 'wide' },
    ],
    nameOf: (app) => textAt(app, 'id') ?? '',
    empty: 'No app matches. "chandlery apps" lists all.',
  });
}

async function showManual({ api, args }: Call): Promise<Result> {
  const [kind = ''] = args.words;
  const manual = (await api.call('showManual', { params: { kind }, query: groupOf(args) })) as Manual;
  return { data: manual, names: [manual.app], text: () => manualText(manual) };
}

/** `caches.samples.chandlery.dev.spec.memory` or `caches.spec.memory`: the app is the longest name that there is. */
async function explain({ api, args }: Call): Promise<Result> {
  const [word = ''] = args.words;
  const { app: kind, path: field } = splitField(word, await listAll(api, 'listApps'));
  const environment = args.text('environment');
  const query = { ...groupOf(args), field, recursive: 'true', ...(environment === undefined ? {} : { environment }) };
  const found = (await api.call('explainApp', { params: { kind }, query })) as Explanation;
  return { data: found, names: found.fields.map((fact) => fact.field), text: () => explanationText(found) };
}

function groupOf(args: Call['args']): Readonly<Record<string, string>> {
  const group = args.text('group');
  return group === undefined ? {} : { group };
}

function splitField(word: string, apps: readonly unknown[]): { readonly app: string; readonly path: string } {
  const names = apps.flatMap((app) => [textAt(app, 'id') ?? '', textAt(app, 'plural') ?? '', textAt(app, 'kind')?.toLowerCase() ?? '']);
  const [app = word.split('.')[0] ?? ''] = names
    .filter((name) => word.toLowerCase() === name || word.toLowerCase().startsWith(`${name}.`))
    .sort((a, b) => b.length - a.length);
  return { app, path: word.slice(app.length).replace(/^\./, '') };
}

async function showComposition({ api, args }: Call): Promise<Result> {
  const [kind = '', word = ''] = args.words;
  const instance = word.slice(word.lastIndexOf('/') + 1);
  const environment = args.text('environment');
  const query = { ...groupOf(args), instance, ...(environment === undefined ? {} : { environment }) };
  const found = (await api.call('showComposition', { params: { kind }, query })) as Composition;
  return { data: found, names: found.resources.map((one) => one.kind), text: () => compositionText(found) };
}

const CHART_ACTIONS = ['list', 'upload', 'delete'] as const;

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
  const action = choiceOf('charts', word, CHART_ACTIONS);
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
