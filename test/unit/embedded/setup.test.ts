import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { promisify } from 'node:util';
import { loadTools } from '../../../src/embedded/cluster/tools.ts';
import { repoRoot } from '../../support/cluster.ts';

const run = promisify(execFile);
const BUILT = ['etcd', 'helm', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'kwok'];

let folder: string;
let clone: string;
let bin: string;
let cache: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'chandlery-setup-')));
  [clone, bin, cache] = [join(folder, 'clone'), join(folder, 'bin'), join(folder, 'cache')];
  await mkdir(bin);
  await mkdir(join(clone, 'node_modules', '.bin'), { recursive: true });
  for (const part of ['bin', 'tools', 'package.json', 'package-lock.json'])
    await cp(join(repoRoot, part), join(clone, part), { recursive: true });
  await cp(join(repoRoot, 'package-lock.json'), join(clone, 'node_modules', '.package-lock.json'));
});
afterEach(() => rm(folder, { recursive: true }));

test('without Go and without programs, setup says what to install and what to do instead', async () => {
  const { code, stderr } = await setUp();
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^\netcd, .*helm must be built once with Go, but there is no Go on the PATH\.\nInstall Go 1\.26 or newer .*npm start -- --context NAME/,
  );
});

test('with a Go that is too old, setup says so', async () => {
  await program('go', 'echo go1.24.3');
  assert.match((await setUp()).stderr, /the Go on the PATH is too old \(go1\.24\.3\)\.\nInstall Go 1\.26/);
});

test('for a cluster of one’s own a helm on the PATH is all that is needed', async () => {
  await program('helm', 'echo v4.1.0+gabc');
  assert.deepEqual(await setUp('--context'), { code: 0, stderr: '' });
  assert.deepEqual(await loadTools(clone), { helm: join(bin, 'helm') });
});

test('a helm of another major version is not used, and setup names it', async () => {
  await program('helm', 'echo v3.19.0+gabc');
  const { code, stderr } = await setUp('--context');
  assert.equal(code, 1);
  assert.match(stderr, /helm must be built.*bin\/helm is v3\.19\.0, which does not fit/);
});

test('what is missing is built once into a cache that clones share, by however many setups run at once', async () => {
  await fakeGo();
  const outcomes = await Promise.all([setUp(), setUp(), setUp()]);
  assert.deepEqual(
    outcomes.map(({ code }) => code),
    [0, 0, 0],
  );
  assert.deepEqual(await builds(), [BUILT]);
  assert.match(outcomes.map(({ stderr }) => stderr).join(''), /Built 7 programs/);
  assert.deepEqual(await setUp(), { code: 0, stderr: '' });
  const { cluster, kubectl } = await loadTools(clone);
  assert.equal((await run(cluster?.etcd ?? '')).stdout, 'I am server\n');
  assert.equal((await run(kubectl ?? '')).stdout, 'I am kubectl\n');
  assert.equal(cluster?.stages.length, 4);
  assert.ok(cluster.stages.every((file) => file.startsWith(cache) && !file.includes('kustomization')));
});

test('a lock of a setup that was killed is taken over', async () => {
  await fakeGo();
  await setUp();
  const [key = ''] = await readdir(join(cache, 'chandlery', 'tools'));
  await rm(join(cache, 'chandlery', 'tools', key, 'kwok'));
  await writeFile(join(cache, 'chandlery', 'tools', `${key}.lock`), String(2 ** 22 + 1));
  assert.equal((await setUp()).code, 0);
  assert.deepEqual(await builds(), [BUILT, ['kwok']]);
  assert.deepEqual(await readdir(join(cache, 'chandlery', 'tools')), [key]);
});

test('programs that are there in a fitting version are not built', async () => {
  await fakeGo();
  await program('kubectl', 'echo Client Version: v1.35.2');
  await program('etcd', 'echo etcd Version: 3.6.1');
  await program('kube-apiserver', 'echo Kubernetes v1.34.0');
  assert.equal((await setUp('', { KUBEBUILDER_ASSETS: bin })).code, 0);
  assert.deepEqual(await builds(), [BUILT.filter((name) => name !== 'kubectl' && name !== 'etcd')]);
  const { cluster, kubectl } = await loadTools(clone);
  assert.deepEqual([kubectl, cluster?.etcd], [join(bin, 'kubectl'), join(bin, 'etcd')]);
});

test('a build that fails says why and leaves nothing half-built', async () => {
  await program('go', 'if [ "$1" = env ]; then echo go1.26.1; else echo "no space left on device" >&2; exit 1; fi');
  const { code, stderr } = await setUp();
  assert.equal(code, 1);
  assert.match(stderr, /no space left on device\n\n`go build` in tools\/ failed/);
  const [key = '', ...others] = await readdir(join(cache, 'chandlery', 'tools'));
  assert.deepEqual([others, await readdir(join(cache, 'chandlery', 'tools', key))], [[], []]);
});

test('packages are installed when they are not what the lock file says, and only then', async () => {
  await program('helm', 'echo v4.1.0');
  await program('npm', `echo "$@" >> ${folder}/npm.log; cp package-lock.json node_modules/.package-lock.json`);
  await setUp('--context');
  await writeFile(join(clone, 'node_modules', '.package-lock.json'), '{"packages":{}}');
  assert.match((await setUp('--context')).stderr, /Installing packages\nPackages installed/);
  await setUp('--context');
  assert.equal(await readFile(join(folder, 'npm.log'), 'utf8'), 'ci --no-audit --no-fund\n');
});

test('when npm fails, its reason is shown', async () => {
  await program('npm', 'echo "npm error code ENOTFOUND" >&2; exit 1');
  await rm(join(clone, 'node_modules'), { recursive: true });
  const { code, stderr } = await setUp('--context');
  assert.equal(code, 1);
  assert.match(stderr, /npm error code ENOTFOUND/);
});

async function setUp(mode = '', env: Readonly<Record<string, string>> = {}): Promise<{ code: number; stderr: string }> {
  const args = [join(clone, 'bin', 'setup.mjs'), ...(mode === '' ? [] : [mode])];
  try {
    const { stderr } = await run(process.execPath, args, { env: { PATH: bin, HOME: folder, XDG_CACHE_HOME: cache, ...env } });
    return { code: 0, stderr };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, stderr };
  }
}

/** A program of the machine, on a PATH on which nothing else is. */
async function program(name: string, script: string): Promise<void> {
  await writeFile(join(bin, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
  await chmod(join(bin, name), 0o755);
}

/** A Go that writes down what it builds, slowly, and builds programs that say their names. */
async function fakeGo(): Promise<void> {
  const stages = join(folder, 'kwok', 'kustomize', 'stage');
  for (const part of ['node/fast', 'node/heartbeat-with-lease', 'pod/fast', 'volume/fast']) {
    await mkdir(join(stages, part), { recursive: true });
    for (const file of [`${part.replaceAll('/', '-')}.yaml`, 'kustomization.yaml'])
      await writeFile(join(stages, part, file), 'kind: Stage\n');
  }
  await program(
    'go',
    `case "$1 $2" in
"env GOVERSION") echo go1.26.1 ;;
"list "*) echo ${folder}/kwok ;;
"build "*)
  while [ "$1" != -o ]; do shift; done
  target=$2; shift 2; sleep 0.3; names=
  for package in "$@"; do
    name=$(basename "$package"); [ "$name" = v3 ] && name=server
    printf '#!/bin/sh\\necho I am %s\\n' "$name" > "$target/$name"; chmod +x "$target/$name"; names="$names $name"
    echo "$package" >&2
  done
  echo $names >> ${folder}/builds.log ;;
esac`,
  );
}

async function builds(): Promise<string[][]> {
  const lines = (await readFile(join(folder, 'builds.log'), 'utf8')).trim().split('\n');
  return lines.map((line) =>
    line
      .split(' ')
      .map((name) => (name === 'server' ? 'etcd' : name))
      .sort(),
  );
}
