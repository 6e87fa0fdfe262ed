import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ON_PATH = ['helm', 'kubectl'];
const VERSION_ARGS = { helm: ['version', '--short'], kubectl: ['version', '--client'] };

/**
 * Programs that this machine has already, in a version that fits: in the folder `KUBEBUILDER_ASSETS` names, helm and kubectl on the PATH
 * too. `rejected` tells about those of a version that does not fit.
 */
export async function findPresent(pins) {
  const rejected = [];
  const find = async (pin) => {
    for (const path of candidates(pin.name)) {
      const version = await versionOf(pin.name, path);
      if (version !== undefined && fits(pin, version)) return { path, version: `v${version.join('.')}` };
      rejected.push({ name: pin.name, path, version: version === undefined ? 'no version' : `v${version.join('.')}` });
    }
    return undefined;
  };
  const found = await Promise.all(pins.programs.map(async (pin) => [pin.name, await find(pin)]));
  return { programs: Object.fromEntries(found.filter(([, program]) => program !== undefined)), rejected };
}

function candidates(name) {
  const assets = process.env.KUBEBUILDER_ASSETS;
  const path = ON_PATH.includes(name) ? (process.env.PATH ?? '').split(delimiter) : [];
  return [...(assets === undefined ? [] : [assets]), ...path]
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .filter(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function versionOf(name, path) {
  try {
    const { stdout } = await run(path, VERSION_ARGS[name] ?? ['--version'], { timeout: 10_000 });
    return /v?(\d+)\.(\d+)\.(\d+)/.exec(stdout)?.slice(1, 4).map(Number);
  } catch {
    return undefined;
  }
}

/** helm: the same major version; kubectl: one minor version around the cluster's, as Kubernetes supports it; others: the same minor version. */
function fits(pin, [major, minor]) {
  const [pinnedMajor, pinnedMinor] = pin.version.slice(1).split('.').map(Number);
  if (major !== pinnedMajor) return false;
  if (pin.name === 'helm') return true;
  return Math.abs(minor - pinnedMinor) <= (pin.name === 'kubectl' ? 1 : 0);
}
