import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Progress } from './progress.mjs';
import { SetupError } from './setup-error.mjs';

/** Runs `npm ci` when node_modules is missing or not what package-lock.json says. */
export async function installPackages(root) {
  if (areInstalled(root)) return;
  const progress = new Progress('Installing packages');
  const { code, output } = await npmCi(root);
  if (code === 0) return progress.done('Packages installed');
  progress.failed('npm ci failed');
  throw new SetupError(`${output.trim()}\n\nThe packages could not be installed; npm says above why. Try \`npm ci\` when it is mended.`);
}

/** Compares package-lock.json with what npm noted down about node_modules. Packages for other platforms are allowed to be absent. */
export function areInstalled(root) {
  const [wanted, found] = [readLock(join(root, 'package-lock.json')), readLock(join(root, 'node_modules', '.package-lock.json'))];
  if (wanted === undefined || found === undefined || !existsSync(join(root, 'node_modules', '.bin'))) return false;
  const omitsDev = process.env.NODE_ENV === 'production' || (process.env.npm_config_omit ?? '').includes('dev');
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    const installed = found[path];
    if (installed === undefined) return entry.optional === true || entry.devOptional === true || (entry.dev === true && omitsDev);
    return installed.version === entry.version && installed.integrity === entry.integrity;
  });
}

function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** Without node_modules/.bin on the PATH: npm must not run on the very Node that it replaces. */
function npmCi(root) {
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.startsWith(join(root, 'node_modules')));
  const child = spawn('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, env: { ...process.env, PATH: path.join(delimiter) } });
  return new Promise((resolve) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', (error) => resolve({ code: 1, output: `npm: ${error.message}` }));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
