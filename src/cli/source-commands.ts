import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { isObject, listAt, numberAt, objectAt, textAt, textsAt } from '../domain/core/read.ts';
import { findInstance, type InstanceParams, listAll } from './api.ts';
import { proposeRollback, sourceDiff, sourceHistory } from './source-revisions.ts';
import { textColumn } from './catalog-commands.ts';
import { ANSWER_NO, type Call, type ClientCommand, ENVIRONMENT_OPTION, listing, type Result } from './client-command.ts';
import { choiceOf, durationOf, wrong } from './options.ts';
import { ageOf } from './output.ts';
import { oneLine } from '../domain/core/plain-text.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { manifestYaml } from '../domain/instance/instance-commands.ts';
import { isDnsLabel, OURS } from '../domain/kubernetes/names.ts';

const ACTIONS = ['list', 'sync', 'suspend', 'resume', 'history', 'diff', 'rollback', 'keep'] as const;
const OPERATIONS = { sync: 'syncSource', suspend: 'suspendSource', resume: 'resumeSource', keep: 'keepSource' } as const;

/** `chandlery source`. */
export const SOURCE_COMMAND: ClientCommand = {
  name: 'source',
  usage: 'list|sync|suspend|resume|history|diff|rollback|keep [NAME]',
  summary:
    'list the CatalogSources, sync one now, suspend or resume it, show its revisions, return to an earlier one, or keep one that is being deleted (admins)',
  words: { least: 1, most: 2, kinds: ['source-action', 'source'] },
  options: [
    {
      name: 'wait',
      help: 'of sync: wait until the source is in sync; exit with 3 if it is not in time, has faults or waits for an approval',
    },
    { name: 'timeout', value: 'DURATION', help: 'how long to wait; default 5m' },
    { name: 'revision', value: 'REVISION', help: 'of diff and rollback: an earlier revision, or the beginning of its digest or commit' },
    { name: 'message', value: 'TEXT', help: 'of rollback: a message to the reviewer of the merge request' },
  ],
  examples: [
    'chandlery source list',
    'chandlery source sync catalog --wait',
    'chandlery approve source/catalog',
    'chandlery source history catalog',
    'chandlery source diff catalog --revision 4f1c2a9 | patch -p1 -d catalog',
    'chandlery source rollback platform --revision 9f2c4a1',
  ],
  act: async (call) => await actOnSource(call),
};

async function actOnSource(call: Call): Promise<Result> {
  const { api, args } = call;
  const [word, name] = args.words;
  const action = choiceOf('source', word, ACTIONS);
  if (action === 'list') return await listSources(call);
  if (name === undefined) throw wrong('source', `name the source, e.g. chandlery source ${action} catalog`);
  if (action === 'history') return await sourceHistory(call, name);
  if (action === 'diff') return await sourceDiff(call, name);
  if (action === 'rollback') return await proposeRollback(call, name);
  const params = { name };
  const before = await api.call('showSource', { params });
  const after = await api.call(OPERATIONS[action], { params });
  if (action === 'sync' && args.flag('wait')) return await waitedSource(call, name, before);
  const done = { sync: 'sync requested', suspend: 'suspended', resume: 'resumed', keep: 'deletion cancelled' }[action];
  return { data: after ?? params, names: [name], text: () => `source/${name} ${done}\n` };
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
const OBSERVED_MS = 3_000;

/** Until the state is one in which nothing goes on by itself, and that was observed after the request. */
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
    const isNew = textAt(source, 'etag') !== textAt(before, 'etag') && performance.now() - began > OBSERVED_MS;
    const isOver = performance.now() > end;
    if (isOver || (isNew && state !== 'Syncing')) {
      const isSynced = state === 'Synced' && !isOver;
      return { data: source, names: [name], text: () => `source/${name} ${line}\n`, code: isSynced ? 0 : ANSWER_NO };
    }
    await sleep(EVERY_MS, undefined, { signal });
  }
}

/** Confirms the new origin of a source, or has exactly its revision remove the pending resources now. */
export async function approveSource({ api, args }: Call, name: string): Promise<Result> {
  const source = await api.call('showSource', { params: { name } });
  const origin = textAt(source, 'awaitsConfirmation');
  const revision = textAt(source, 'awaitsApproval');
  if (origin === undefined && revision === undefined) throw new AppError('ApprovalInvalid', `source/${name}: nothing is pending removal`);
  if (args.flag('dry-run')) return { data: source, names: [name], text: () => `${oneLine(textAt(source, 'message') ?? '')}\n` };
  if (origin !== undefined) {
    const text = (): string => `source/${name} is ${origin} now\n`;
    return { data: await api.call('confirmOrigin', { params: { name }, body: { origin } }), names: [name], text };
  }
  const text = (): string => `source/${name} removals of ${revision} approved\n`;
  return { data: await api.call('approvePrune', { params: { name }, body: { revision } }), names: [name], text };
}

/** `chandlery generate`. */
export const GENERATE_COMMAND: ClientCommand = {
  name: 'generate',
  usage: '[INSTANCE]',
  summary: 'write live instances as YAML files for git, ENVIRONMENT/APP/NAME.yaml',
  words: { least: 0, most: 1, kinds: ['instance'] },
  options: [
    ENVIRONMENT_OPTION,
    { name: 'all-environments', short: 'A', help: 'the instances of all environments that you can see' },
    { name: 'directory', short: 'd', value: 'DIR', completes: 'file', help: 'write into this folder; default: print one stream of YAML' },
  ],
  examples: ['chandlery generate orders -e team-a', 'chandlery generate -A -d clusters/prod'],
  act: async (call) => await generate(call),
};

interface GeneratedFile {
  /** Below the folder. */
  readonly file: string;
  readonly text: string;
}

async function generate(call: Call): Promise<Result> {
  const { api, args, note } = call;
  const instances = await instancesFor(call);
  const files: GeneratedFile[] = [];
  for (const params of instances) {
    const instance = await api.call('showInstance', { params });
    const masked = textsAt(instance, 'masked');
    if (masked.length > 0)
      note(`${params.app}/${params.name}: put a reference to a Secret in place of ${masked.join(', ')}; secrets are not written`);
    files.push({ file: fileFor(params), text: manifestYaml(manifestOf(objectAt(instance, 'object'))) });
  }
  const folder = args.text('directory');
  if (folder !== undefined) for (const { file, text } of files) await writeBelow(folder, file, text);
  const stream = files.map(({ file, text }) => `# ${file}\n${text}`).join('---\n');
  return {
    data: { items: files },
    names: files.map(({ file }) => file),
    text: () => (folder === undefined ? stream : files.map(({ file }) => `${join(folder, file)}\n`).join('')),
  };
}

async function instancesFor({ api, args }: Call): Promise<readonly InstanceParams[]> {
  const [word] = args.words;
  if (word !== undefined) return [await findInstance(api, args.text('environment'), word)];
  const named = args.text('environment');
  const environments =
    named === undefined || args.flag('all-environments')
      ? (await listAll(api, 'listEnvironments')).map((one) => textAt(one, 'name') ?? '')
      : [named];
  const lists = await Promise.all(
    environments.map(async (environment) => await listAll(api, 'listInstances', { params: { environment } })),
  );
  return lists.flat().map((one) => ({
    environment: textAt(one, 'environment') ?? '',
    app: textAt(one, 'app') ?? '',
    name: textAt(one, 'name') ?? '',
  }));
}

/** Names come from a cluster, so none of them leads elsewhere. */
function fileFor({ environment, app, name }: InstanceParams): string {
  const [plural = ''] = app.split('.');
  const isSafe = isDnsLabel(environment) && /^[a-z0-9-]+$/.test(plural) && /^[a-z0-9][a-z0-9.-]*$/.test(name);
  if (!isSafe) throw new AppError('InvalidInput', `${environment}/${app}/${name}: a file cannot have this name`);
  return `${environment}/${plural}/${name}.yaml`;
}

/** Without what the cluster writes. */
function manifestOf({ metadata, status: _status, ...object }: Readonly<Record<string, unknown>>): object {
  const kept = ['name', 'namespace', 'labels', 'annotations'].flatMap((key) => {
    const value = objectAt({ metadata }, 'metadata')[key];
    if (!isObject(value)) return value === undefined ? [] : [[key, value] as const];
    const members = Object.entries(value).filter(([name]) => name !== LAST_APPLIED && !name.startsWith(OURS_PREFIX));
    return members.length === 0 ? [] : [[key, Object.fromEntries(members)] as const];
  });
  const { apiVersion, kind, ...rest } = object;
  return { apiVersion, kind, metadata: Object.fromEntries(kept), ...rest };
}

/** Who asked and who approved, and whose it is: written by Chandlery, and rejected when people send it. */
const OURS_PREFIX = `${OURS.group}/`;
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

async function writeBelow(folder: string, file: string, text: string): Promise<void> {
  const path = join(folder, file);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (cause) {
    throw new AppError('InvalidInput', `${path}: it cannot be written: ${messageOf(cause)}`, { cause });
  }
}
