import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeText } from '../domain/yaml/decode-text.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { at, listAt, numberAt, objectAt, textAt, textsAt } from '../domain/core/read.ts';
import { applyMergePatch } from '../domain/core/merge-patch.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import { findApp, findEnvironment, findInstance, type InstanceParams, listAll } from './api.ts';
import { textColumn } from './catalog-commands.ts';
import { ANSWER_NO, type Call, type ClientCommand, dryRunOption, ENVIRONMENT_OPTION, listing, type Result } from './client-command.ts';
import { WAIT_OPTIONS, waitedStatus } from './instance-commands.ts';
import { durationOf, type Option, wrong } from './options.ts';
import { ageOf, colored } from './output.ts';
import { approveSource } from './source-commands.ts';
import { bullets, findingSections, preflightResult } from './preflight-text.ts';
import { contentInFiles, VALUE_OPTIONS, withFields } from './values.ts';
import { waitUntilGone } from './wait.ts';

const DRY_RUN = dryRunOption('run the preflight checks and write nothing');

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
        help: 'the version of the kind, or of the chart of an Operator or an instance; default: the newest that is offered, or the same',
      },
      DRY_RUN,
      ...WAIT_OPTIONS,
    ],
    examples: [
      'chandlery upgrade orders -e team-a --set spec.replicas=3 --wait',
      'chandlery upgrade shop -e team-a --version 0.3.0 --dry-run',
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
      'approve a change request, an upgrade or the pending removals of a source; without an argument, list the change requests that wait for you',
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
    return { name, key, ...(file === undefined ? {} : { value: decodeText(await readFile(file)) }) };
  } catch (cause) {
    throw new AppError('InvalidInput', `--secret ${name}/${key}: the file cannot be read: ${messageOf(cause)}`, { cause });
  }
}

async function upgradeInstance(call: Call): Promise<Result> {
  const { api, args } = call;
  const params = await findInstance(api, args.text('environment'), args.words[0] ?? '');
  const isRelease = params.app.endsWith(`.${OURS.appsGroup}`);
  const version = isRelease ? undefined : args.text('version');
  const query = version === undefined ? {} : { version };
  const { content } = withChartVersion(await contentInFiles(args.texts('file')), isRelease ? args.text('version') : undefined);
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

/** Of an instance that is a release the version is a field. */
function withChartVersion<T extends { readonly content: object }>(
  files: T,
  version: string | undefined,
): { readonly content: T['content'] } {
  if (version === undefined) return files;
  return { content: applyMergePatch(files.content, { spec: { version } }) as T['content'] };
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
export async function written(
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

type OperatorParams = Readonly<Record<'namespace' | 'name', string>>;

/** The Operator that `operator/NAMESPACE/NAME` names; undefined for any other word. */
function operatorIn(word: string): OperatorParams | undefined {
  const [, namespace, name] = /^operator\/([^/]+)\/([^/]+)$/.exec(word) ?? [];
  if (namespace !== undefined && name !== undefined) return { namespace, name };
  if (word.startsWith('operator/')) throw wrong('operator', `write operator/NAMESPACE/NAME instead of ${JSON.stringify(word)}`);
  return undefined;
}

function textOf({ namespace, name }: OperatorParams): string {
  return `operator/${namespace}/${name}`;
}

/** An upgrade is an approval: the controller does the rest, with exactly the chart that the preview showed. */
async function upgradeOperator(call: Call, params: OperatorParams): Promise<Result> {
  const { api, args } = call;
  if (args.texts('set').length + args.texts('unset').length + args.texts('file').length > 0) {
    throw wrong('upgrade', 'values of an Operator are in its resource or its file; change them there, and name --version here');
  }
  const version = args.text('version');
  const preview = await api.call('previewUpgrade', { params, query: version === undefined ? {} : { version } });
  if (args.flag('dry-run')) return previewResult(preview, params);
  const body = { version: textAt(preview, 'to', 'version') ?? version ?? '', digest: textAt(preview, 'to', 'digest') ?? '' };
  const approved = await api.call('approveUpgrade', { params, body });
  if (args.flag('wait')) return await waitedOperator(call, params, body.version);
  return { data: approved, names: [textOf(params)], text: () => `${textOf(params)} upgrade to ${body.version} approved\n` };
}

function previewResult(preview: unknown, params: OperatorParams): Result {
  const verdict = textAt(preview, 'verdict', 'kind') ?? '';
  const changes = listAt(preview, 'objects', 'changes').map(
    (change) => `${textAt(change, 'change') ?? ''} ${textAt(change, 'kind') ?? ''} ${textAt(change, 'name') ?? ''}`,
  );
  const crds = listAt(preview, 'crds', 'items').flatMap((crd) =>
    listAt(crd, 'findings').map(
      (finding) => `${textAt(crd, 'crd') ?? ''} ${textAt(finding, 'path') ?? ''}: ${textAt(finding, 'message') ?? ''}`,
    ),
  );
  return {
    data: preview,
    names: [textOf(params)],
    code: verdict === 'Blocked' ? ANSWER_NO : 0,
    text: (style) =>
      [
        `${style.colors ? colored(verdict) : verdict}: ${textAt(preview, 'from', 'version') ?? 'nothing'} to ${textAt(preview, 'to', 'version') ?? ''}\n`,
        bullets('Blockers', textsAt(preview, 'verdict', 'blockers')),
        bullets('Unchecked', textsAt(preview, 'verdict', 'unchecked')),
        bullets('Warnings', textsAt(preview, 'warnings')),
        bullets('Objects', changes),
        bullets('CRDs', crds),
        ...findingSections(at(preview, 'findings')),
        `Instances: ${numberAt(preview, 'instances', 'total') ?? 0}\n`,
      ]
        .filter((section) => section !== '')
        .join('\n'),
  };
}

const EVERY_MS = 1_000;

async function waitedOperator({ api, args, note, signal }: Call, params: OperatorParams, version: string): Promise<Result> {
  const end = performance.now() + durationOf('upgrade', 'timeout', args.text('timeout') ?? '5m');
  let said = '';
  for (;;) {
    const operator = await api.call('showOperator', { params });
    const [status, message] = [textAt(operator, 'status') ?? '', textAt(operator, 'message') ?? ''];
    if (`${status}: ${message}` !== said) note(`${status}: ${message}`);
    said = `${status}: ${message}`;
    const isDone = status === 'READY' && textAt(operator, 'chart', 'version') === version;
    if (isDone || performance.now() > end) {
      const words = isDone ? `is at ${version}` : `is not at ${version} in time: ${said}`;
      return { data: operator, names: [textOf(params)], text: () => `${textOf(params)} ${words}\n`, code: isDone ? 0 : ANSWER_NO };
    }
    await sleep(EVERY_MS, undefined, { signal });
  }
}

/** Approves the version that waits, or the one that is named. */
async function approveOperator({ api, args }: Call, params: OperatorParams): Promise<Result> {
  const operator = await api.call('showOperator', { params });
  const version = args.text('version') ?? textAt(operator, 'pendingUpgrade', 'version');
  if (version === undefined)
    throw new AppError('ApprovalInvalid', `${textOf(params)}: no upgrade waits for an approval; name one with --version`);
  if (args.flag('dry-run')) return previewResult(await api.call('previewUpgrade', { params, query: { version } }), params);
  const pending = textAt(operator, 'pendingUpgrade', 'version') === version ? textAt(operator, 'pendingUpgrade', 'chartDigest') : undefined;
  const approved = await api.call('approveUpgrade', { params, body: { version, ...(pending === undefined ? {} : { digest: pending }) } });
  return { data: approved, names: [textOf(params)], text: () => `${textOf(params)} upgrade to ${version} approved\n` };
}

/** What happens to its instances is the policy of the Operator. */
async function deleteOperator({ api, args }: Call, params: OperatorParams): Promise<Result> {
  if (args.flag('dry-run')) {
    const preview = await api.call('previewOperatorDeletion', { params });
    const blockers = listAt(preview, 'blockers').map(
      (one) => `${textAt(one, 'kind') ?? ''} ${textAt(one, 'namespace') ?? ''}/${textAt(one, 'name') ?? ''}`,
    );
    const steps = listAt(preview, 'steps').map((step) => textAt(step, 'description') ?? '');
    return {
      data: preview,
      names: [textOf(params)],
      code: blockers.length > 0 ? ANSWER_NO : 0,
      text: () =>
        [
          `Policy ${textAt(preview, 'policy') ?? ''}, ${numberAt(preview, 'instances') ?? 0} instances\n`,
          bullets('Blockers', blockers),
          bullets('Steps', steps),
        ]
          .filter((section) => section !== '')
          .join('\n'),
    };
  }
  await api.call('deleteOperator', { params });
  return { data: params, names: [textOf(params)], text: () => `${textOf(params)} deletion accepted\n` };
}

/** Approves a change request exactly as it was shown: by the digest of its effect. */
async function approveRequest({ api, args }: Call): Promise<Result> {
  const [id] = args.words;
  if (id === undefined) {
    return listing({
      items: await listAll(api, 'listChangeRequests', { query: { awaitingApproval: 'true' } }),
      columns: [
        textColumn('REQUEST', 'id'),
        textColumn('ACTION', 'action'),
        textColumn('ENVIRONMENT', 'environment'),
        { title: 'INSTANCE', cell: (item) => `${textAt(item, 'app') ?? ''}/${textAt(item, 'name') ?? ''}` },
        textColumn('REQUESTER', 'requester', 'user'),
        { title: 'AGE', cell: (item) => ageOf(textAt(item, 'created'), Date.now()) },
      ],
      nameOf: (item) => textAt(item, 'id') ?? '',
      empty: 'No change request waits for you.',
    });
  }
  const shown = await api.call('showChangeRequest', { params: { id } });
  if (args.flag('dry-run')) return { ...preflightResult(at(shown, 'preflight'), [id]), data: shown };
  const written = await api.call('approveChangeRequest', { params: { id }, body: { digest: textAt(shown, 'digest') ?? '' } });
  const isPending = at(written, 'changeRequest') !== undefined;
  const [app, name] = ['app', 'name'].map((key) => textAt(shown, 'changeRequest', key) ?? '');
  return {
    data: written,
    names: [`${app}/${name}`],
    text: () => `${app}/${name} approved${isPending ? '; Chandlery is about to write it' : ''}\n`,
  };
}
