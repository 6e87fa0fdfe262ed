import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { helpOf } from '../../../src/cli/command.ts';
import { COMMANDS } from '../../../src/compose/commands.ts';
import { objectAt, textAt } from '../../../src/domain/core/read.ts';
import { repoRoot } from '../../support/cluster.ts';
import { runCommand } from '../../support/run-command.ts';

// Runs in test:all: it starts dozens of programs.

const CRDS = join(repoRoot, 'charts/chandlery/crds/environments.chandlery.dev.yaml');

describe('the command line', () => {
  const run = (args: readonly string[], input?: string) =>
    spawnSync(process.execPath, ['bin/chandlery.mjs', ...args], {
      cwd: repoRoot,
      encoding: 'utf8',
      ...(input === undefined ? {} : { input }),
    });

  it('prints its version, and help for each command', async () => {
    const { version } = JSON.parse(readFileSync(join(repoRoot, 'package.json'), 'utf8')) as { version: string };
    assert.equal(run(['--version']).stdout, `${version}\n`);
    const overview = (await runCommand(['help'])).stdout;
    for (const command of COMMANDS) {
      assert.match(overview, new RegExp(`^ {2}chandlery ${command.name}\\b`, 'm'));
      assert.match(helpOf(command), new RegExp(`^Usage: chandlery ${command.name}\\b[^]*^Examples:$`, 'm'));
    }
    assert.equal(
      (await runCommand(['tree', '--help'])).stdout,
      COMMANDS.filter(({ name }) => name === 'tree')
        .map(helpOf)
        .join(''),
    );
  });

  it('ends with 2 and a sentence when it was called wrongly', async () => {
    const { code, stdout, stderr } = await runCommand(['help', 'nope']);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^chandlery: [^\n]+\n$/);
  });

  for (const line of [
    'form',
    'state -o xml',
    'token',
    'apps --nope',
    'serve --prot 1',
    'status -o xml',
    'tree',
    'apps --server http://catalogue.example.com',
    'apps --server https://catalogue.example.com --context kind',
  ]) {
    it(`rejects "${line}" in one sentence`, async () => {
      const { code, stderr } = await runCommand(line.split(' '));
      assert.equal(code, 2);
      assert.match(stderr, /^chandlery: [^\n]+\n$/);
    });
  }

  it('prints where the state is for programs', async () => {
    const state: unknown = JSON.parse((await runCommand(['state', '--state', '/srv/here', '-o', 'json'])).stdout);
    assert.equal(textAt(state, 'kubeconfig'), '/srv/here/kubeconfig');
    assert.deepEqual(Object.keys(objectAt(state)), ['stateDir', 'kubeconfig', 'auditLog']);
  });

  it('reads the standard input in place of a file', () => {
    const { stdout } = run(['form', '-f', '-', '-o', 'json'], readFileSync(CRDS, 'utf8'));
    assert.equal(textAt(JSON.parse(stdout), 0, 'title'), 'Environment chandlery.dev/v1alpha1');
    assert.match(run(['form', '-f', '-'], '').stderr, /the standard input is empty/);
  });

  it('prints the health of objects, and exits with 3 for a sick one where it was asked to', async (context) => {
    const job = JSON.stringify({
      apiVersion: 'batch/v1',
      kind: 'Job',
      status: { conditions: [{ type: 'Failed', status: 'True', message: 'no' }] },
    });
    const { status, stdout } = run(['health', '-f', '-', '--exit-code', '-o', 'json'], job);
    assert.equal(status, 3);
    assert.equal(textAt(JSON.parse(stdout), 0, 'status'), 'Degraded');
    const folder = await mkdtemp(join(tmpdir(), 'chandlery-health-'));
    context.after(() => rm(folder, { recursive: true }));
    const file = join(folder, 'job.yaml');
    await writeFile(file, job);
    assert.equal((await runCommand(['health', '-f', file])).code, 0);
    await writeFile(file, 'kind: Job');
    assert.equal((await runCommand(['health', '-f', file])).code, 1);
  });

  it('finds the faults of a folder without a cluster, for people and for CI', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chandlery-validate-'));
    const environment = 'apiVersion: chandlery.dev/v1alpha1\nkind: Environment\nmetadata: {name: shop}\nspec:\n  tier: staging\n';
    const cache = 'apiVersion: samples.chandlery.dev/v1alpha1\nkind: Cache\nmetadata: {name: c}\nspec: {memory: lots}\n';
    const operator =
      'apiVersion: operatorcontroller.kubeplus/v1\nkind: Operator\nmetadata: {name: x}\nspec: {name: x, chartURL: "https://a.example.com/x.tgz", chart: {name: x, repoURL: "https://a.example.com", version: 1.0.0}}\n';
    const definition =
      'apiVersion: chandlery.dev/v1alpha1\nkind: AppDefinition\nmetadata: {name: runs}\nspec:\n  chart: {name: run, repoURL: "https://a.example.com", version: 1.0.0}\n';
    await writeFile(join(folder, 'a.yaml'), `${environment}  groups: [{name: 'oidc:a', role: developer}]\n`);
    assert.equal((await runCommand(['validate', folder])).stdout, '1 file, 1 resource, 0 faults\n');
    await writeFile(
      join(folder, 'a.yaml'),
      `${environment}  grups: []\n---\n${cache}---\n${operator}---\n${definition}  names: {plural: jobs}\n`,
    );
    const { code, stdout } = await runCommand([
      'validate',
      folder,
      '--allow-kind',
      '*',
      '--crds',
      join(repoRoot, 'charts/cache-operator/crds'),
    ]);
    const file = join(folder, 'a.yaml');
    assert.deepEqual(
      stdout.split('\n').map((line) => line.replace(/^(.*?: .*?): .*$/, '$1')),
      [
        `${file}:6:3: spec.grups`,
        `${file}:11:8: spec.memory`,
        `${file}:16:1: spec`,
        `${file}:23:11: spec.names.plural`,
        '1 file, 4 resources, 4 faults',
        '',
      ],
    );
    assert.equal(code, 3);
    const forCi = (format: string) =>
      spawnSync(join(repoRoot, '.ci/check-catalog'), [format], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, CATALOG_ALLOW_KINDS: '*' },
      });
    const github = forCi('github');
    assert.equal(github.status, 3, github.stderr);
    assert.match(github.stdout, /^::error file=a\.yaml,line=6,col=3::spec\.grups: /);
    assert.equal(forCi('gitlab').status, 3);
    const report: unknown = JSON.parse(await readFile(join(folder, 'code-quality.json'), 'utf8'));
    assert.deepEqual(objectAt(report, 0, 'location'), { path: 'a.yaml', lines: { begin: 6 } });
    await rm(folder, { recursive: true });
  });

  it('says nothing when the reader has read enough', () => {
    const script = `"${process.execPath}" bin/chandlery.mjs form -f "${CRDS}" | head -1`;
    const { stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: repoRoot, encoding: 'utf8' });
    assert.equal(stdout, '# Environment chandlery.dev/v1alpha1\n');
    assert.equal(stderr, '');
  });
});
