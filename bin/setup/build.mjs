import { execFile, spawn } from 'node:child_process';
import { accessSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { requireGo } from './go.mjs';
import { isRunning, withLock } from './lock.mjs';
import { Progress } from './progress.mjs';
import { SetupError } from './setup-error.mjs';

const run = promisify(execFile);
const STAGE_FOLDERS = ['node/fast', 'node/heartbeat-with-lease', 'pod/fast', 'volume/fast'];
/** What a stage folder holds besides stages. */
const NO_STAGES = ['kustomization.yaml', 'storage-class.yaml'];

/** What earlier builds left in the cache: `{ programs: { name: { path, version } }, stages?: [path] }`; only what is still there. */
export function readBuilt(pins) {
  try {
    const { programs, stages } = JSON.parse(readFileSync(join(pins.cacheFolder, 'tools.json'), 'utf8'));
    const there = Object.fromEntries(Object.entries(programs).filter(([, program]) => existsSync(program.path)));
    return { programs: there, ...(stages?.every(existsSync) ? { stages } : {}) };
  } catch {
    return { programs: {} };
  }
}

/** Builds the named programs into the cache, unless another process has done it meanwhile; returns what the cache holds then. */
export async function buildPrograms(pins, names, { mode, rejected }) {
  const go = await requireGo(pins, { names, mode, rejected });
  const onWait = (pid) => console.error(`Another setup (process ${pid}) is building the same programs; waiting for it`);
  return withLock(`${pins.cacheFolder}.lock`, onWait, async () => {
    const built = readBuilt(pins);
    const missing = pins.programs.filter((program) => names.includes(program.name) && built.programs[program.name] === undefined);
    mkdirSync(pins.cacheFolder, { recursive: true });
    if (missing.length > 0) await build(go, pins, missing);
    const stages = mode === 'context' ? built.stages : (built.stages ?? (await copyStages(go, pins)));
    const added = missing.map(({ name, version }) => [name, { path: join(pins.cacheFolder, name), version }]);
    const manifest = { programs: { ...built.programs, ...Object.fromEntries(added) }, ...(stages === undefined ? {} : { stages }) };
    const path = join(pins.cacheFolder, 'tools.json');
    writeFileSync(`${path}.new`, `${JSON.stringify(manifest, null, 2)}\n`);
    renameSync(`${path}.new`, path);
    return manifest;
  });
}

async function build(go, pins, programs) {
  removeAbandonedDrafts(pins.cacheFolder);
  const draft = `${pins.cacheFolder}.build-${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const names = programs.map((program) => program.name).join(', ');
  const what = programs.length === 1 ? names : `${programs.length} programs`;
  console.error(`Building ${names} from source, once for all clones.`);
  if (programs.length > 1) console.error('On a fresh machine of two cores this takes about five minutes and 5 GB.');
  const progress = new Progress(`Building ${what}`);
  try {
    await goBuild(go, { pins, programs, draft, progress });
    for (const { name, binary } of programs) renameSync(join(draft, binary), join(pins.cacheFolder, name));
    progress.done(`Built ${what}`);
  } catch (error) {
    progress.failed('The build failed');
    throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function removeAbandonedDrafts(cacheFolder) {
  const prefix = `${basename(cacheFolder)}.build-`;
  for (const name of readdirSync(dirname(cacheFolder)).filter((entry) => entry.startsWith(prefix))) {
    if (!isRunning(Number(name.slice(prefix.length)))) rmSync(join(dirname(cacheFolder), name), { recursive: true, force: true });
  }
}

/** One call for all programs, since they share most packages. `-v` names each package as it is compiled. */
async function goBuild(go, { pins, programs, draft, progress }) {
  const args = ['build', '-v', '-mod=readonly', '-buildvcs=false', '-trimpath', `-ldflags=${linkerFlags(pins)}`, '-o', `${draft}/`];
  const child = spawn(go.path, [...args, ...programs.map((program) => program.package)], {
    cwd: pins.folder,
    env: go.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const log = [];
  let counts = { fetched: 0, compiled: 0 };
  let rest = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    log.push(...lines);
    counts = { fetched: counts.fetched + countOf(lines, isFetch), compiled: counts.compiled + countOf(lines, (line) => !isFetch(line)) };
    progress.update(describe(counts, { done: countDone(programs, draft), all: programs.length }));
  });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  const why = log.filter((line) => !isFetch(line)).slice(-15);
  if (code !== 0) throw new SetupError(`${[...why, rest].join('\n').trim()}\n\n\`go build\` in tools/ failed; it says above why.`);
}

function isFetch(line) {
  return line.startsWith('go: downloading');
}

function countOf(lines, predicate) {
  return lines.filter(predicate).length;
}

function countDone(programs, draft) {
  return programs.filter(({ binary }) => existsSync(join(draft, binary))).length;
}

function describe({ fetched, compiled }, { done, all }) {
  const fetching = fetched > 0 && compiled === 0 ? [`${fetched} modules fetched`] : [];
  const linking = all > 1 && done > 0 ? [`${done} of ${all} programs done`] : [];
  return [...fetching, ...(compiled > 0 ? [`${compiled} packages compiled`] : []), ...linking].join(' · ');
}

/** Smaller programs that know their own versions. */
function linkerFlags({ programs }) {
  const version = (name) => programs.find((program) => program.name === name).version;
  const [major, minor] = version('kube-apiserver').slice(1).split('.');
  const base = 'k8s.io/component-base/version';
  const values = {
    [`${base}.gitVersion`]: version('kube-apiserver'),
    [`${base}.gitMajor`]: major,
    [`${base}.gitMinor`]: minor,
    'helm.sh/helm/v4/internal/version.version': version('helm'),
  };
  return ['-s', '-w', ...Object.entries(values).map(([name, value]) => `-X ${name}=${value}`)].join(' ');
}

/** The stages that say what simulated nodes, pods and volumes do, out of KWOK's own module. */
async function copyStages(go, pins) {
  await run(go.path, ['mod', 'download', 'sigs.k8s.io/kwok'], { cwd: pins.folder, env: go.env });
  const { stdout } = await run(go.path, ['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/kwok'], {
    cwd: pins.folder,
    env: go.env,
  });
  const target = join(pins.cacheFolder, 'stages');
  mkdirSync(target, { recursive: true });
  return STAGE_FOLDERS.flatMap((folder) => {
    const source = join(stdout.trim(), 'kustomize', 'stage', folder);
    accessSync(source);
    const files = readdirSync(source).filter((name) => name.endsWith('.yaml') && !NO_STAGES.includes(name));
    return files.map((name) => {
      copyFileSync(join(source, name), join(target, name));
      return join(target, name);
    });
  });
}
