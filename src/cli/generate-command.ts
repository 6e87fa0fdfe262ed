import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { isObject, objectAt, textAt, textsAt } from '../domain/core/read.ts';
import { manifestYaml } from '../domain/instance/instance-commands.ts';
import { isDnsLabel, OURS } from '../domain/kubernetes/names.ts';
import { findInstance, type InstanceParams, listAll } from './api.ts';
import { type Call, type ClientCommand, ENVIRONMENT_OPTION, type Result } from './client-command.ts';

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
