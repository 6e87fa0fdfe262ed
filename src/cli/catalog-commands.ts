import { at, isObject, listAt, textAt, textsAt } from '../domain/core/read.ts';
import { AppError } from '../domain/core/errors.ts';
import type { FormNode } from '../form/model/form-node.ts';
import { findApp, listAll } from './api.ts';
import { type Call, type ClientCommand, ENVIRONMENT_OPTION, listing, type Result } from './client-command.ts';
import { colored, type Column, manyLines, oneLine, tableOf, dataText } from './output.ts';

/** A column that shows one text of each item. */
export function textColumn(title: string, ...path: readonly string[]): Column<unknown> {
  return { title, cell: (item) => textAt(item, ...path) ?? '' };
}

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
    summary: 'show what an app is, how it is used, an example and its README',
    words: { least: 1, most: 1, kinds: ['app'] },
    options: [],
    examples: ['chandlery man caches | less'],
    act: async (call) => await showManual(call),
  },
  {
    name: 'explain',
    usage: 'APP[.FIELD]',
    summary: 'describe the fields of an app: type, default, limits',
    words: { least: 1, most: 1, kinds: ['app'] },
    options: [{ ...ENVIRONMENT_OPTION, help: 'show the values and locks of this environment' }],
    examples: ['chandlery explain caches', 'chandlery explain caches.spec.memory'],
    act: async (call) => await explain(call),
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
  const [word = ''] = args.words;
  const app = await api.call('showApp', { params: { app: textAt(await findApp(api, word), 'id') ?? '' } });
  return { data: app, names: [textAt(app, 'id') ?? ''], text: () => manualOf(app) };
}

function manualOf(app: unknown): string {
  const id = textAt(app, 'id') ?? '';
  const facts = [
    ['Kind', `${textAt(app, 'kind') ?? ''} ${textAt(app, 'group') ?? ''}/${textAt(app, 'version') ?? ''}`],
    ['Category', textAt(app, 'category') ?? ''],
    ['Provider', textAt(app, 'provider') ?? ''],
    ['Version', textAt(app, 'appVersion') ?? ''],
    ['Documentation', textAt(app, 'docsURL') ?? ''],
    ['Status', textAt(app, 'availability') ?? ''],
  ].filter(([, value]) => value !== '');
  const example = at(app, 'example');
  const presets = listAt(app, 'presets').map((preset) => `${textAt(preset, 'name') ?? ''}: ${textAt(preset, 'title') ?? ''}`);
  const parts: readonly (readonly [string, string])[] = [
    ['NAME', `${id} - ${oneLine(textAt(app, 'displayName') ?? '')}${sentenceOf(textAt(app, 'summary'))}`],
    ['FACTS', facts.map(([name = '', value = '']) => `${`${name}:`.padEnd(16)}${oneLine(value)}`).join('\n')],
    ['PRESETS', presets.map(oneLine).join('\n')],
    ['USAGE', manyLines(textAt(app, 'usage') ?? '')],
    ['EXAMPLE', isObject(example) ? manyLines(dataText(example, 'yaml')) : ''],
    ['COMMANDS', [`chandlery explain ${id}`, `chandlery install ${id} NAME --dry-run`].join('\n')],
    ['README', manyLines(textAt(app, 'readme') ?? '')],
  ];
  return `${parts
    .filter(([, text]) => text.trim() !== '')
    .map(([title, text]) => `${title}\n${indented(text.trimEnd())}`)
    .join('\n\n')}\n`;
}

function sentenceOf(summary = ''): string {
  return summary === '' ? '' : `: ${oneLine(summary)}`;
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : `    ${line}`))
    .join('\n');
}

/** `caches.samples.chandlery.dev.spec.memory` or `caches.spec.memory`: the app is the longest name that there is. */
async function explain({ api, args }: Call): Promise<Result> {
  const [word = ''] = args.words;
  const { app, path } = splitField(word, await listAll(api, 'listApps'));
  const id = textAt(await findApp(api, app), 'id') ?? '';
  const environment = args.text('environment');
  const form = await api.call('showForm', { params: { app: id }, query: environment === undefined ? {} : { environment } });
  const nodes = fieldsBelow(at(form, 'root')).filter((node) => isBelow(pathOf(node), path));
  if (nodes.length === 0)
    throw new AppError('NotFound', `${id}: there is no field ${path.join('.')}; "chandlery explain ${app}" lists the fields`);
  const [first] = nodes;
  const exact = nodes.length === 1 && pathOf(first).length === path.length;
  return {
    data: { app: id, fields: nodes },
    names: nodes.map((node) => pathText(pathOf(node))),
    text: (style) => (exact ? detailsOf(id, first) : tableOf(FIELD_COLUMNS, nodes, style)),
  };
}

function splitField(word: string, apps: readonly unknown[]): { readonly app: string; readonly path: readonly string[] } {
  const names = apps.flatMap((app) => [textAt(app, 'id') ?? '', textAt(app, 'plural') ?? '', textAt(app, 'kind')?.toLowerCase() ?? '']);
  const [app = word.split('.')[0] ?? ''] = names
    .filter((name) => word.toLowerCase() === name || word.toLowerCase().startsWith(`${name}.`))
    .sort((a, b) => b.length - a.length);
  return {
    app,
    path: word
      .slice(app.length)
      .replaceAll('[*]', '.*')
      .split('.')
      .filter((step) => step !== ''),
  };
}

/** Every node of a form that holds a value, and lists, maps and choices before what is in them. */
function fieldsBelow(node: unknown): readonly unknown[] {
  const children = [
    ...listAt(node, 'children'),
    ...[at(node, 'item'), at(node, 'value')].filter((row) => isObject(row) && 'path' in row),
    ...listAt(node, 'branches').map((branch) => at(branch, 'node')),
  ].flatMap(fieldsBelow);
  const { children: _children, item: _item, value: _value, branches: _branches, ...own } = isObject(node) ? node : {};
  return textAt(node, 'kind') === 'group'
    ? children
    : [own, ...children.filter((child) => pathText(pathOf(child)) !== pathText(pathOf(own)))];
}

function pathOf(node: unknown): readonly string[] {
  return textsAt(node, 'path');
}

function pathText(path: readonly string[]): string {
  return path.map((step, index) => (step === '*' ? '[*]' : `${index === 0 ? '' : '.'}${step}`)).join('');
}

function isBelow(path: readonly string[], above: readonly string[]): boolean {
  return above.every((step, index) => path[index] === step);
}

const FIELD_COLUMNS: readonly Column<unknown>[] = [
  { title: 'FIELD', cell: (node) => pathText(pathOf(node)) },
  { title: 'TYPE', cell: typeOf },
  { title: 'DEFAULT', cell: (node) => fallbackOf(node) || '-' },
  { title: 'RULES', cell: (node) => rulesOf(node).join(', ') || '-' },
  { ...textColumn('DESCRIPTION', 'help', 'summary'), wide: 'wide' },
];

function typeOf(node: unknown): string {
  return textAt(node, 'format') || textAt(node, 'kind') || '';
}

/** Never that of a secret. */
function fallbackOf(node: unknown): string {
  return textAt(node, 'kind') === SECRET ? '' : valueText(at(node, 'fallback'));
}

const SECRET: FormNode['kind'] = 'secret';

function valueText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function rulesOf(node: unknown): readonly string[] {
  const constraints = at(node, 'constraints');
  const locked = textAt(node, 'locked');
  return [
    ...(at(node, 'required') === true ? ['required'] : []),
    ...(at(node, 'immutable') === true ? ['immutable'] : []),
    ...(locked === undefined ? [] : [`locked by ${locked}`]),
    ...(isObject(constraints) ? Object.entries(constraints).map(([name, value]) => `${name}=${valueText(value)}`) : []),
    ...[listAt(node, 'options').map((option) => textAt(option, 'text') ?? '')]
      .filter((all) => all.length > 0)
      .map((all) => `one of ${all.join('|')}`),
  ];
}

function detailsOf(app: string, node: unknown): string {
  const more = [textAt(node, 'help', 'summary'), textAt(node, 'help', 'more')].filter((text) => (text ?? '') !== '');
  const lines = [
    `APP:     ${app}`,
    `FIELD:   ${pathText(pathOf(node))} <${typeOf(node)}>`,
    `DEFAULT: ${oneLine(fallbackOf(node)) || '<none>'}`,
    ...rulesOf(node).map((rule, index) => `${index === 0 ? 'RULES:  ' : '        '} ${oneLine(rule)}`),
    ...(more.length === 0 ? [] : ['', 'DESCRIPTION:', indented(manyLines(more.join('\n')))]),
  ];
  return `${lines.map((line) => colored(line)).join('\n')}\n`;
}
