import { readFile } from 'node:fs/promises';
import { AppError } from '../domain/core/errors.ts';
import { at, listAt, objectAt, textAt } from '../domain/core/read.ts';
import { applyMergePatch } from '../domain/core/merge-patch.ts';
import { findApp, findEnvironment, findInstance, type InstanceParams } from './api.ts';
import { ANSWER_NO, type Call, type ClientCommand, ENVIRONMENT_OPTION, type Result } from './client-command.ts';
import { WAIT_OPTIONS, waitedStatus } from './instance-commands.ts';
import { approveOperator, approveRequest, deleteOperator, operatorIn, upgradeOperator } from './operator-commands.ts';
import { durationOf, type Option, wrong } from './options.ts';
import { approveSource } from './source-command.ts';
import { preflightResult } from './preflight-text.ts';
import { contentInFiles, VALUE_OPTIONS, withFields } from './values.ts';
import { waitUntilGone } from './wait.ts';

const DRY_RUN: Option = { name: 'dry-run', help: 'run the preflight checks and write nothing; exit with 3 if something blocks' };

const TIMEOUT: Option = { name: 'timeout', value: 'DURATION', help: 'how long to wait; default 5m' };

/** Commands that change something. */
export const CHANGE_COMMANDS: readonly ClientCommand[] = [
  {
    name: 'install',
    usage: 'APP [NAME]',
    summary: 'install an app in an environment',
    words: { least: 1, most: 2, kinds: ['app'] },
    options: [
      ENVIRONMENT_OPTION,
      ...VALUE_OPTIONS,
      { name: 'preset', value: 'NAME', help: 'begin with the values of this preset; "chandlery man" lists them' },
      {
        name: 'secret',
        value: 'NAME/KEY[=FILE]',
        many: 'many',
        help: 'create this Secret first, with the content of a file or a generated value',
      },
      DRY_RUN,
      ...WAIT_OPTIONS,
    ],
    examples: [
      'chandlery install caches orders -e team-a --set spec.memory=256Mi --dry-run',
      'chandlery install caches orders -e team-a -f orders.yaml --wait',
    ],
    act: async (call) => await install(call),
  },
  {
    name: 'upgrade',
    usage: 'INSTANCE|operator/NAMESPACE/NAME',
    summary: 'change the values or the version of an instance, or upgrade the chart of an Operator',
    words: { least: 1, most: 1, kinds: ['instance'] },
    options: [
      ENVIRONMENT_OPTION,
      ...VALUE_OPTIONS,
      { name: 'unset', value: 'FIELD', many: 'many', help: 'remove one field, so that its default applies' },
      {
        name: 'version',
        value: 'VERSION',
        help: 'the version of the kind, or of the chart of an Operator; default: the newest that is offered',
      },
      DRY_RUN,
      ...WAIT_OPTIONS,
    ],
    examples: [
      'chandlery upgrade orders -e team-a --set spec.replicas=3 --wait',
      'chandlery upgrade operator/chandlery-system/cache --version 0.2.0 --dry-run',
    ],
    act: async (call) => {
      const operator = operatorIn(call.args.words[0] ?? '');
      return operator === undefined ? await upgradeInstance(call) : await upgradeOperator(call, operator);
    },
  },
  {
    name: 'rollback',
    usage: 'INSTANCE [REVISION]',
    summary: 'change an instance back to an earlier revision; default: the newest one that differs',
    words: { least: 1, most: 2, kinds: ['instance'] },
    options: [ENVIRONMENT_OPTION, DRY_RUN, ...WAIT_OPTIONS],
    examples: ['chandlery rollback orders -e team-a --dry-run', 'chandlery rollback orders 3 -e team-a --wait'],
    act: async (call) => await rollBack(call),
  },
  {
    name: 'delete',
    usage: 'INSTANCE|operator/NAMESPACE/NAME',
    summary: 'delete an instance and everything that it owns, or an Operator by its deletion policy',
    words: { least: 1, most: 1, kinds: ['instance'] },
    options: [ENVIRONMENT_OPTION, DRY_RUN, { name: 'wait', help: 'wait until it is gone; exit with 3 if it is not in time' }, TIMEOUT],
    examples: ['chandlery delete orders -e team-a --dry-run', 'chandlery delete orders -e team-a --wait'],
    act: async (call) => {
      const operator = operatorIn(call.args.words[0] ?? '');
      return operator === undefined ? await deleteInstance(call) : await deleteOperator(call, operator);
    },
  },
  {
    name: 'approve',
    usage: '[REQUEST|operator/NAMESPACE/NAME|source/NAME]',
    summary:
      'approve a change request, an upgrade or the deletions of a source; without a word, list the change requests that wait for you',
    words: { least: 0, most: 1, kinds: [] },
    options: [
      { name: 'version', value: 'VERSION', help: 'the version of the chart of an Operator; default: the pending one' },
      { name: 'dry-run', help: 'show what the approval would do, and write nothing' },
    ],
    examples: ['chandlery approve', 'chandlery approve operator/chandlery-system/cache'],
    act: async (call) => {
      const [word = ''] = call.args.words;
      if (word.startsWith('source/')) return await approveSource(call, word.slice('source/'.length));
      const operator = operatorIn(word);
      return operator === undefined ? await approveRequest(call) : await approveOperator(call, operator);
    },
  },
];

async function install(call: Call): Promise<Result> {
  const { api, args } = call;
  const app = textAt(await findApp(api, args.words[0] ?? ''), 'id') ?? '';
  const environment = await findEnvironment(api, args.text('environment'));
  const files = await contentInFiles(args.texts('file'));
  const name = args.words[1] ?? files.name;
  if (name === undefined) throw wrong('install', 'name the instance, e.g. chandlery install caches orders');
  const form = args.texts('set').length === 0 ? {} : await api.call('showForm', { params: { app }, query: { environment } });
  const content = withFields(applyMergePatch(await presetValues(call, app), files.content) as object as Record<string, unknown>, args, {
    form,
  });
  const secrets = await Promise.all(args.texts('secret').map(secretIn));
  const body = { ...content, app, name, ...(secrets.length === 0 ? {} : { secrets }) };
  const params = { environment };
  if (args.flag('dry-run')) {
    const preflight = await api.call('createInstance', { params, query: { dryRun: 'All' }, body });
    return preflightResult(preflight, [`${app}/${name}`]);
  }
  const created = await api.call('createInstance', { params, body });
  return await written(call, { environment, app, name }, { did: 'created', object: created });
}

async function presetValues({ api, args }: Call, app: string): Promise<unknown> {
  const wanted = args.text('preset');
  if (wanted === undefined) return {};
  const presets = listAt(await api.call('showApp', { params: { app } }), 'presets');
  const found = presets.find((preset) => textAt(preset, 'name') === wanted);
  if (found !== undefined) return at(found, 'values');
  const names = presets.map((preset) => textAt(preset, 'name') ?? '').join(', ');
  throw wrong('install', `--preset: ${JSON.stringify(wanted)} is not one of ${names === '' ? 'none' : names}`);
}

/** The value comes from a file alone: arguments are seen by everybody on the machine. */
async function secretIn(text: string): Promise<{ readonly name: string; readonly key: string; readonly value?: string }> {
  const [, name = '', key = '', file] = /^([^/=]+)\/([^/=]+)(?:=(.+))?$/.exec(text) ?? [];
  if (name === '') throw wrong('install', '--secret: write NAME/KEY, or NAME/KEY=FILE with the file that holds the value');
  try {
    return { name, key, ...(file === undefined ? {} : { value: await readFile(file, 'utf8') }) };
  } catch (cause) {
    throw new AppError('InvalidInput', `--secret ${name}/${key}: the file cannot be read`, { cause });
  }
}

async function upgradeInstance(call: Call): Promise<Result> {
  const { api, args } = call;
  const params = await findInstance(api, args.text('environment'), args.words[0] ?? '');
  const version = args.text('version');
  const query = version === undefined ? {} : { version };
  const { content } = await contentInFiles(args.texts('file'));
  const isByField = args.texts('set').length > 0;
  const [form, live] = await Promise.all([
    isByField ? api.call('showForm', { params: { app: params.app }, query: { environment: params.environment } }) : undefined,
    api.call('showInstance', { params, query }),
  ]);
  const body = withFields(content, args, { form, live: objectAt(live, 'object') });
  if (Object.keys(body).length === 0 && version === undefined)
    throw wrong('upgrade', 'say what to change: --set, --unset, -f or --version');
  if (args.flag('dry-run')) {
    const preflight = await api.call('updateInstance', { params, query: { ...query, dryRun: 'All' }, body });
    return preflightResult(preflight, [`${params.app}/${params.name}`]);
  }
  const changed = await api.call('updateInstance', { params, query, body });
  const did =
    textAt(changed, 'object', 'metadata', 'resourceVersion') === textAt(live, 'object', 'metadata', 'resourceVersion')
      ? 'unchanged'
      : 'changed';
  return await written(call, params, { did, object: changed });
}

async function rollBack(call: Call): Promise<Result> {
  const { api, args } = call;
  const [word = '', revision] = args.words;
  if (revision !== undefined && !/^[1-9]\d{0,8}$/.test(revision)) {
    throw wrong('rollback', `${JSON.stringify(revision)} is no revision; "chandlery history ${word}" lists them`);
  }
  const params = await findInstance(api, args.text('environment'), word);
  const body = revision === undefined ? {} : { revision: Number(revision) };
  if (args.flag('dry-run')) {
    const preflight = await api.call('rollbackInstance', { params, query: { dryRun: 'All' }, body });
    return preflightResult(preflight, [`${params.app}/${params.name}`]);
  }
  return await written(call, params, { did: 'rolled back', object: await api.call('rollbackInstance', { params, body }) });
}

/** One line as kubectl prints it, or with `--wait` the status at the end. */
async function written(
  call: Call,
  params: InstanceParams,
  { did, object }: { readonly did: string; readonly object: unknown },
): Promise<Result> {
  const name = `${params.app}/${params.name}`;
  if (call.args.flag('wait')) {
    call.note(`${name} ${did}`);
    return await waitedStatus(call, params);
  }
  return { data: object, names: [name], text: () => `${name} ${did}\n` };
}

async function deleteInstance(call: Call): Promise<Result> {
  const { api, args } = call;
  const params = await findInstance(api, args.text('environment'), args.words[0] ?? '');
  const name = `${params.app}/${params.name}`;
  if (args.flag('dry-run')) {
    return preflightResult(await api.call('deleteInstance', { params, query: { dryRun: 'All' } }), [name]);
  }
  const timeout = durationOf('delete', 'timeout', args.text('timeout') ?? '5m');
  await api.call('deleteInstance', { params });
  const isGone = args.flag('wait') ? await waitUntilGone(call, params, timeout) : undefined;
  const did = isGone === true ? 'deleted' : 'deletion accepted';
  return { data: { ...params, status: did }, names: [name], text: () => `${name} ${did}\n`, code: isGone === false ? ANSWER_NO : 0 };
}
