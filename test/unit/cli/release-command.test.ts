import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseYamlDocuments } from '../../../src/domain/core/bounded-yaml.ts';
import { isSame } from '../../../src/domain/core/merge-patch.ts';
import { at, listAt, textAt } from '../../../src/domain/core/read.ts';
import { loadTools } from '../../../src/embedded/cluster/tools.ts';
import { renderKustomization } from '../../../src/folder/kustomize.ts';
import { repoRoot } from '../../support/cluster.ts';
import { type Ended, runCommand } from '../../support/run-command.ts';

const BASE_POOL = 'gauss/peu01/base/machinepool.yaml';

describe('chandlery release', () => {
  let tree: string;
  let kubectl: string;
  before(async () => {
    ({ kubectl = 'kubectl' } = await loadTools(repoRoot));
    tree = mkdtempSync(join(tmpdir(), 'chandlery-release-'));
    cpSync(join(repoRoot, 'test/fixtures/releases'), tree, { recursive: true });
  });
  after(() => rmSync(tree, { recursive: true }));

  const release = async (...args: string[]): Promise<Ended> => await runCommand(['release', ...args, '-C', tree]);

  /** What kustomize makes of the tree, as kubectl, Argo CD and Flux load it. */
  const kustomized = (folder: string): unknown[] => {
    const { status, stdout, stderr } = spawnSync(kubectl, ['kustomize', join(tree, folder)], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return parseYamlDocuments(stdout);
  };

  it('upgrades a tree that kustomize loads, with the effective values that it shows', async () => {
    const text = readFileSync(join(tree, BASE_POOL), 'utf8');
    writeFileSync(join(tree, BASE_POOL), text.replace('replicas: 3', 'replicas: 5'));
    const { stdout, code } = await release('upgrade', 'gauss/peu01', '--to', 'v22.0.0');
    assert.equal(code, 0);
    assert.match(stdout, /^gauss\/peu01: aws-v21\.0\.0 → aws-v22\.0\.0\n/);
    assert.match(stdout, /^moved {4}spec\.replicas: edited in base\/machinepool\.yaml, now in overlay\/machinepool\.yaml$/m);
    const objects = kustomized('gauss/peu01/overlay');
    assert.equal(objects.length, 4);
    const resources = listAt(JSON.parse((await release('diff', 'gauss/peu01', '-o', 'json')).stdout), 'resources');
    for (const resource of resources) {
      const id = textAt(resource, 'resource')?.split(/[ /]/) ?? [];
      const object = objects.find((one) => textAt(one, 'kind') === id[0] && textAt(one, 'metadata', 'name') === id[2]);
      for (const value of listAt(resource, 'values')) {
        const names = (textAt(value, 'path') ?? '').split('.');
        assert.ok(isSame(at(object, ...names), at(value, 'value')), `${id.join(' ')} ${names.join('.')}`);
      }
    }
    assert.equal((await release('validate', '--strict')).code, 0);
  });

  it('gives a CatalogSource the objects that kubectl apply -k applies', async () => {
    const path = join(tree, 'gauss/peu01/overlay');
    const { documents, faults } = await renderKustomization({ kubectl, root: tree, path });
    assert.deepEqual(faults, []);
    assert.deepEqual(byName(documents.map(({ content }) => content)), byName(kustomized('gauss/peu01/overlay')));
  });

  it('merges lists of the kinds of Kubernetes by their keys, as kustomize does', async () => {
    const container = (name: string, more = ''): string => `        - { name: ${name}, image: "${name}:1"${more} }\n`;
    const head = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web, namespace: web }\n';
    const base = `${head}spec:\n  template:\n    spec:\n      containers:\n${container('app')}${container('old')}      tolerations: [{ key: a }]\n`;
    const patch = `${head}spec:\n  replicas: 2\n  template:\n    spec:\n      containers:\n${container('sidecar')}        - { name: app, env: [{ name: LOG, value: info }] }\n        - { name: old, $patch: delete }\n      tolerations: [{ key: b }]\n`;
    writeFileSync(join(tree, 'gauss/peu01/base/web.yaml'), base);
    writeFileSync(join(tree, 'gauss/peu01/overlay/web.yaml'), patch);
    assert.equal((await release('upgrade', 'gauss/peu01', '--to', 'v22.0.0')).code, 0);
    const object = kustomized('gauss/peu01/overlay').find((one) => textAt(one, 'kind') === 'Deployment');
    const { resources } = JSON.parse((await release('diff', 'gauss/peu01', '-o', 'json')).stdout) as { resources: unknown };
    const shown = listAt(resources).find((one) => textAt(one, 'resource') === 'Deployment web/web');
    const value = (path: string): unknown =>
      at(
        listAt(shown, 'values').find((one) => textAt(one, 'path') === path),
        'value',
      );
    for (const name of ['containers', 'tolerations'])
      assert.deepEqual(value(`spec.template.spec.${name}`), at(object, 'spec', 'template', 'spec', name));
  });

  it('writes nothing through a link, after a refusal, and on a dry run', async () => {
    const before = snapshot(tree);
    assert.match((await release('new', 'aws/v23.0.0', '--dry-run')).stdout, /^created {2}aws\/v23\.0\.0\/release\.yaml$/m);
    const rejected = await release('upgrade', 'gauss/peu01', '--to', 'v21.0.0');
    assert.equal(rejected.code, 1);
    assert.match(rejected.stderr, /^chandlery: release: aws\/v21\.0\.0\/release\.yaml:\d+: gauss\/peu01 runs v22\.0\.0/);
    assert.deepEqual(snapshot(tree), before);
    const outside = mkdtempSync(join(tmpdir(), 'chandlery-outside-'));
    symlinkSync(outside, join(tree, 'gcp'));
    assert.match((await release('new', 'gcp/v1.0.0')).stderr, /gcp is a link, and links are not followed/);
    assert.deepEqual(readdirSync(outside), []);
    rmSync(outside, { recursive: true });
    rmSync(join(tree, 'gcp'));
  });

  it('names the line of each fault, and ends with 1', async () => {
    writeFileSync(join(tree, 'gauss/peu01/overlay/cache.yaml'), 'kind: Operator\nkind: Operator\n');
    const { code, stdout } = await release('validate');
    assert.equal(code, 1);
    assert.match(stdout, /^gauss\/peu01\/overlay\/cache\.yaml:2:1: fault: invalid YAML: duplicate key/m);
  });
});

function byName(objects: readonly unknown[]): [string, unknown][] {
  const named = objects.map((object): [string, unknown] => [
    `${textAt(object, 'kind') ?? ''} ${textAt(object, 'metadata', 'name') ?? ''}`,
    object,
  ]);
  return named.sort(([a], [b]) => a.localeCompare(b));
}

function snapshot(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.yaml') || name.endsWith('.tmp'),
  );
  return files.sort().map((name) => `${name}\n${readFileSync(join(folder, name), 'utf8')}`);
}
