import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { repoRoot } from './cluster.ts';
import type { Product } from './product.ts';

const CLIENTS = join(repoRoot, 'test', 'clients');

/** What a journey of a client needs: the product, a person, an app to install and the environment for it. */
export interface Journey {
  readonly product: Product;
  readonly person: string;
  readonly app: string;
  readonly environment: string;
}

/** Why the client in Python cannot be tried on this machine; undefined when it can. */
export async function pythonMissing(): Promise<string | undefined> {
  const { failed } = await execa('python3', ['-m', 'pip', '--version'], { reject: false });
  return failed ? 'python3 with pip is not installed' : undefined;
}

/** Generates the client in Python with openapi-python-client, and goes its way with it; the answer is what it printed. */
export async function runPythonClient(journey: Journey): Promise<string> {
  const packages = await cached('python', ['requirements.txt'], async (folder) => {
    await execa('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, '-r', join(CLIENTS, 'python', 'requirements.txt')]);
  });
  return await inFolder(journey, async (folder, description) => {
    const env = { PYTHONPATH: `${packages}:${folder}` };
    const config = join(folder, 'config.yaml');
    await writeFile(config, 'package_name_override: chandlery_client\npost_hooks: []\n');
    const output = ['--output-path', join(folder, 'chandlery_client'), '--meta', 'none'];
    const options = ['--path', description, ...output, '--config', config, '--fail-on-warning'];
    await execa('python3', ['-m', 'openapi_python_client', 'generate', ...options], { env, cwd: folder });
    return await walk(journey, ['python3', join(CLIENTS, 'python', 'journey.py')], env);
  });
}

/** Generates the types of the client in TypeScript with openapi-typescript, checks the journey against them, and goes it with openapi-fetch. */
export async function runTypeScriptClient(journey: Journey): Promise<string> {
  const packages = await cached('typescript', ['package.json', 'package-lock.json'], async (folder) => {
    for (const file of ['package.json', 'package-lock.json']) await cp(join(CLIENTS, 'typescript', file), join(folder, file));
    await execa('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder });
  });
  return await inFolder(journey, async (folder, description) => {
    await symlink(join(packages, 'node_modules'), join(folder, 'node_modules'));
    await symlink(join(repoRoot, 'node_modules', '@types', 'node'), join(folder, 'node-types'));
    await cp(join(packages, 'package.json'), join(folder, 'package.json'));
    await cp(join(CLIENTS, 'typescript', 'journey.ts'), join(folder, 'journey.ts'));
    const program = (name: string): string => join(folder, 'node_modules', '.bin', name);
    await execa(program('openapi-typescript'), [description, '--output', join(folder, 'api.d.ts')], { cwd: folder });
    const strict = ['--strict', '--noEmit', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--skipLibCheck'];
    const types = ['--target', 'es2024', '--module', 'nodenext', '--allowImportingTsExtensions', '--types', join(folder, 'node-types')];
    await execa(program('tsc'), [...strict, ...types, 'journey.ts'], { cwd: folder });
    return await walk(journey, [process.execPath, join(folder, 'journey.ts')], {});
  });
}

async function walk(
  { product, person, app, environment }: Journey,
  [program, ...args]: readonly [string, ...string[]],
  env: Record<string, string>,
): Promise<string> {
  const journey = [`${product.origin}/api/v1`, app, environment];
  const { stdout } = await execa(program, [...args, ...journey], { env, input: await product.token(person) });
  return stdout;
}

async function inFolder<T>({ product }: Journey, act: (folder: string, description: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'chandlery-client-'));
  try {
    const description = join(folder, 'openapi.json');
    await writeFile(description, await (await fetch(`${product.origin}/api/v1/openapi.json`)).text());
    return await act(folder, description);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A folder that is filled once for the same pins on the same machine, and shared by all clones. */
async function cached(client: string, pins: readonly string[], fill: (folder: string) => Promise<void>): Promise<string> {
  const texts = await Promise.all(pins.map(async (file) => await readFile(join(CLIENTS, client, file), 'utf8')));
  const key = createHash('sha256').update(texts.join('\0')).digest('hex').slice(0, 16);
  const { XDG_CACHE_HOME: cache = '' } = process.env;
  const parent = join(cache.startsWith('/') ? cache : join(homedir(), '.cache'), 'chandlery', 'clients');
  const folder = join(parent, `${client}-${process.platform}-${process.arch}-${key}`);
  if (await isFilled(folder)) return folder;
  await mkdir(parent, { recursive: true });
  const half = await mkdtemp(`${folder}.`);
  await fill(half);
  await writeFile(join(half, '.filled'), '');
  // Somebody else may have filled it meanwhile.
  await rename(half, folder).catch(async () => await rm(half, { recursive: true, force: true }));
  return folder;
}

async function isFilled(folder: string): Promise<boolean> {
  return await readFile(join(folder, '.filled')).then(
    () => true,
    () => false,
  );
}
