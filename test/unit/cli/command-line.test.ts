import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { objectAt, textAt } from '../../../src/domain/core/read.ts';
import { repoRoot } from '../../support/cluster.ts';

const CRDS = join(repoRoot, 'charts/chandlery/crds/environments.chandlery.dev.yaml');

describe('the command line', () => {
  const run = (args: readonly string[], input?: string) =>
    spawnSync(process.execPath, ['bin/chandlery.mjs', ...args], {
      cwd: repoRoot,
      encoding: 'utf8',
      ...(input === undefined ? {} : { input }),
    });

  it('prints its version, and help for each command', () => {
    const { version } = JSON.parse(readFileSync(join(repoRoot, 'package.json'), 'utf8')) as { version: string };
    assert.equal(run(['--version']).stdout, `${version}\n`);
    const overview = run(['help']).stdout;
    const names = [...overview.matchAll(/^ {2}chandlery ([a-z]+)/gm)].map(([, name]) => name ?? '').filter((name) => name !== 'help');
    assert.ok(names.length >= 5);
    for (const name of names) assert.match(run([name, '--help']).stdout, new RegExp(`^Usage: chandlery ${name}`));
  });

  it('ends with 2 and a sentence when it was called wrongly', () => {
    for (const args of [
      ['nope'],
      ['serve', '--prot', '1'],
      ['form'],
      ['state', '-o', 'xml'],
      ['token'],
      ['help', 'nope'],
      ['apps', '--nope'],
      ['status', '-o', 'xml'],
      ['tree'],
      ['apps', '--server', 'http://catalogue.example.com'],
      ['apps', '--server', 'https://catalogue.example.com', '--context', 'kind'],
    ]) {
      const { status, stdout, stderr } = run(args);
      assert.equal(status, 2, args.join(' '));
      assert.equal(stdout, '');
      assert.match(stderr, /^chandlery: [^\n]+\n$/, args.join(' '));
    }
  });

  it('prints where the state is for programs', () => {
    const state: unknown = JSON.parse(run(['state', '--state', '/srv/here', '-o', 'json']).stdout);
    assert.equal(textAt(state, 'kubeconfig'), '/srv/here/kubeconfig');
    assert.deepEqual(Object.keys(objectAt(state)), ['stateDir', 'kubeconfig', 'auditLog']);
  });

  it('reads the standard input in place of a file', () => {
    const { stdout } = run(['form', '-f', '-', '-o', 'json'], readFileSync(CRDS, 'utf8'));
    assert.equal(textAt(JSON.parse(stdout), 0, 'title'), 'Environment chandlery.dev/v1alpha1');
    assert.match(run(['form', '-f', '-'], '').stderr, /the standard input is empty/);
  });

  it('prints the health of objects, and exits with 3 for a sick one where it was asked to', () => {
    const job = JSON.stringify({
      apiVersion: 'batch/v1',
      kind: 'Job',
      status: { conditions: [{ type: 'Failed', status: 'True', message: 'no' }] },
    });
    const { status, stdout } = run(['health', '-f', '-', '--exit-code', '-o', 'json'], job);
    assert.equal(status, 3);
    assert.equal(textAt(JSON.parse(stdout), 0, 'status'), 'Degraded');
    assert.equal(run(['health', '-f', '-'], job).status, 0);
    assert.equal(run(['health', '-f', '-'], 'kind: Job').status, 1);
  });

  it('says nothing when the reader has read enough', () => {
    const script = `"${process.execPath}" bin/chandlery.mjs form -f "${CRDS}" | head -1`;
    const { stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: repoRoot, encoding: 'utf8' });
    assert.equal(stdout, '# Environment chandlery.dev/v1alpha1\n');
    assert.equal(stderr, '');
  });
});
