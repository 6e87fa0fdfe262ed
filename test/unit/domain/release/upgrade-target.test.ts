import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isAppError } from '../../../../src/domain/core/errors.ts';
import { checkRepository } from '../../../../src/domain/release/check-repository.ts';
import { effectiveTarget } from '../../../../src/domain/release/effective-values.ts';
import { activateRelease, newRelease } from '../../../../src/domain/release/new-release.ts';
import { readReleaseRepository } from '../../../../src/domain/release/release-repository.ts';
import { type FileChange, type TargetUpgrade, upgradeTarget } from '../../../../src/domain/release/upgrade-target.ts';
import { repoRoot } from '../../../support/cluster.ts';

const FIXTURE = join(repoRoot, 'test/fixtures/releases');
/** Beside the repository, or beside the folder of clones that it is in. */
const SEED = ['../shared', '../../shared'].map((place) => join(repoRoot, place, 'seed/releases')).find((place) => existsSync(place)) ?? '';
const TARGET = 'gauss/peu01';
const MACHINE_POOL = `${TARGET}/base/machinepool.yaml`;
const CACHE = `${TARGET}/base/cache.yaml`;

type Tree = Map<string, string>;

describe('the upgrade of a cluster in git', () => {
  it('changes what the release says and nothing else, to the byte', () => {
    const tree = fixture();
    const before = tree.get(MACHINE_POOL) ?? '';
    const done = upgrade(tree, { to: 'v22.0.0' });
    assert.equal(tree.get(MACHINE_POOL), before.replace('replicas: 3', 'replicas: 4').replace("'v1.21.4'", "'v1.22.0'"));
    assert.deepEqual(
      done.changes.map(({ path }) => path.slice(TARGET.length)),
      ['/base/cache.yaml', '/base/cert-exporter.yaml', '/base/machinepool.yaml', '/base/kustomization.yaml'],
    );
    assert.match(tree.get(`${TARGET}/base/kustomization.yaml`) ?? '', /chandlery\.dev\/release: aws-v22\.0\.0\n[^]*- cert-exporter\.yaml/);
    assert.deepEqual(checkRepository(readReleaseRepository(tree)).faults, []);
    assert.deepEqual(upgrade(tree, { to: 'v22.0.0' }).changes, []);
  });

  it('gives the change request of the example', { skip: SEED === '' && 'the example is not beside the repository' }, () => {
    const seed = (name: string): string => readFileSync(join(SEED, name), 'utf8');
    const definition = {
      apiVersion: 'chandlery.dev/v1alpha1',
      kind: 'CatalogRelease',
      metadata: { name: 'giantswarm-v21.0.0' },
      spec: { version: 'v21.0.0', state: 'wip' },
    };
    const tree: Tree = new Map([
      ['giantswarm/v21.0.0/release.yaml', JSON.stringify(definition)],
      ['giantswarm/v21.0.0/base/machinepool.yaml', seed('release-base.yaml')],
      [MACHINE_POOL, seed('before.yaml')],
    ]);
    upgrade(tree, { to: 'v21.0.0' });
    assert.equal(tree.get(MACHINE_POOL), seed('after.yaml'));
  });

  it('moves edits found in base to the overlay, below what people have there, and takes over those that the release has too', () => {
    const tree = fixture();
    // As by hand: 5 is an edit, 256Mi is what v22 brings anyway, and the overlay has its own number of replicas already.
    edit(tree, MACHINE_POOL, 'replicas: 3', 'replicas: 5');
    edit(tree, CACHE, 'limits: { memory: 128Mi }', 'limits: { memory: 256Mi, cpu: 1 }');
    edit(tree, CACHE, 'replicas: 1', 'replicas: 7');
    const done = upgrade(tree, { to: 'v22.0.0' });
    assert.deepEqual(
      done.moved.map(({ overlay, paths }) => [overlay, paths]),
      [
        ['cache.yaml', ['spec.values.replicas', 'spec.values.resources.limits.cpu']],
        ['machinepool.yaml', ['spec.replicas']],
      ],
    );
    assert.match(
      tree.get(`${TARGET}/overlay/machinepool.yaml`) ?? '',
      /kind: MachinePool\n[^]*name: peu01-mp-0\n[^]*spec:\n {2}replicas: 5\n/,
    );
    assert.match(tree.get(`${TARGET}/overlay/cache.yaml`) ?? '', /replicas: 3\n[^]*cpu: 1/);
    assert.match(tree.get(`${TARGET}/overlay/kustomization.yaml`) ?? '', /- path: machinepool\.yaml/);
    const { origin, value } = valueOf(tree, 'MachinePool', 'spec.replicas');
    assert.deepEqual({ origin, value }, { origin: 'overlay', value: 5 });
  });

  it('keeps a default app away that somebody deleted from base', () => {
    const tree = fixture();
    tree.delete(CACHE);
    tree.delete(`${TARGET}/overlay/cache.yaml`);
    upgrade(tree, { to: 'v22.0.0' });
    assert.match(tree.get(`${TARGET}/overlay/cache.yaml`) ?? '', /\$patch: delete/);
    assert.equal(
      effective(tree).resources.some(({ resource }) => resource.endsWith('/cache')),
      false,
    );
  });

  it('removes a default app that the release drops, unless an overlay still patches it', () => {
    const tree = fixture();
    tree.delete('aws/v22.0.0/base/cache.yaml');
    tree.delete('aws/v22.0.0/overlay/cache.yaml');
    edit(tree, 'aws/v22.0.0/release.yaml', 'state: active', 'state: wip');
    assert.deepEqual(refusal(tree, { to: 'v22.0.0' }), [
      'gauss/peu01/overlay/cache.yaml:1: it patches Operator chandlery-system/cache, which aws-v22.0.0 does not bring any more: delete the patch, or move the file from base to overlay',
    ]);
    tree.delete(`${TARGET}/overlay/cache.yaml`);
    upgrade(tree, { to: 'v22.0.0' });
    assert.equal(tree.has(CACHE), false);
    assert.doesNotMatch(tree.get(`${TARGET}/base/kustomization.yaml`) ?? '', /- cache\.yaml/);
  });

  it('upgrades one component on its own, says so, and keeps it ahead of an older release', () => {
    const tree = fixture();
    const done = upgrade(tree, { to: 'v22.0.0', only: 'cache' });
    assert.deepEqual(
      done.changes.map(({ path }) => path),
      [CACHE, `${TARGET}/base/kustomization.yaml`],
    );
    assert.match(
      tree.get(`${TARGET}/base/kustomization.yaml`) ?? '',
      /release-components: cache=aws-v22\.0\.0\n[^]*release: aws-v21\.0\.0/,
    );
    assert.equal(valueOf(tree, 'Operator', 'spec.chart.version').origin, 'release aws-v22.0.0 components');
    const again = upgrade(tree, { to: 'v21.0.0' });
    assert.deepEqual([again.changes, again.notes], [[], ['cache stays at aws-v22.0.0, which is newer: it was upgraded on its own']]);
    upgrade(tree, { to: 'v22.0.0' });
    assert.doesNotMatch(tree.get(`${TARGET}/base/kustomization.yaml`) ?? '', /release-components/);
    assert.deepEqual(refusal(fixture(), { to: 'v22.0.0', only: 'redis' }), [
      'aws/v22.0.0/release.yaml:8: aws-v22.0.0 has no component "redis"; it has cache, machinepool',
    ]);
  });

  const rejected = [
    {
      why: 'archived',
      change: ['aws/v22.0.0/release.yaml', 'state: active', 'state: archived'],
      message: /^aws\/v22\.0\.0\/release\.yaml:\d+: aws-v22\.0\.0 is archived/,
    },
    {
      why: 'active and changed',
      change: ['aws/v22.0.0/base/machinepool.yaml', 'v1.22.0', 'v1.22.1'],
      message:
        /^aws\/v22\.0\.0\/release\.yaml:\d+: the content of aws\/v22\.0\.0 has the digest sha256:[0-9a-f]{64}: an active release is immutable/,
    },
    {
      why: 'not the next one',
      change: ['aws/v22.0.0/release.yaml', '>=21.0.0 <22.0.0', '>=21.1.0 <22.0.0'],
      message: /^aws\/v22\.0\.0\/release\.yaml:\d+: gauss\/peu01 runs v21\.0\.0, and .* upgrades from >=21\.1\.0/,
    },
    {
      why: 'faulty',
      change: ['aws/v22.0.0/release.yaml', 'state: active', 'state: activ'],
      message: /^aws\/v22\.0\.0\/release\.yaml:7: spec\.state must be one of wip, active/,
    },
  ] as const;
  for (const { why, change, message } of rejected) {
    it(`is rejected with file and line when the release is ${why}`, () => {
      const tree = fixture();
      const [file, from, to] = change;
      edit(tree, file, from, to);
      assert.match(refusal(tree, { to: 'v22.0.0' }).join('\n'), new RegExp(message.source, 'm'));
    });
  }

  it('is rejected when the release that runs was changed together with its digest', () => {
    const tree = fixture();
    edit(tree, 'aws/v21.0.0/base/machinepool.yaml', 'v1.21.4', 'v1.21.5');
    edit(tree, 'aws/v21.0.0/release.yaml', /state: active\n/, 'state: wip\n');
    edit(tree, 'aws/v21.0.0/release.yaml', / {2}digest: .*\n/, '');
    apply(tree, [activateRelease(readReleaseRepository(tree), 'aws/v21.0.0')]);
    assert.match(
      refusal(tree, { to: 'v22.0.0' }).join(),
      /^gauss\/peu01\/base\/kustomization\.yaml:9: base was generated from aws-v21\.0\.0 with the digest/,
    );
  });

  it('finds overlay keys that do nothing', () => {
    const tree = fixture();
    tree.set(
      `${TARGET}/overlay/machinepool.yaml`,
      'apiVersion: cluster.x-k8s.io/v1alpha3\nkind: MachinePool\nmetadata: { name: peu01-mp-0, namespace: my-org }\nspec:\n  clusterName: peu01\n  replica: 4\n',
    );
    edit(tree, `${TARGET}/overlay/cache.yaml`, '    replicas: 3\n', '    replicas: 3\n  chart: { versoin: 1.0.0 }\n');
    assert.deepEqual(
      effective(tree).keys.map(({ file, line, kind, path }) => `${file.slice(TARGET.length)}:${line} ${kind} ${path}`),
      [
        '/overlay/cache.yaml:7 Dead spec.chart.versoin',
        '/overlay/machinepool.yaml:5 Redundant spec.clusterName',
        '/overlay/machinepool.yaml:6 Unknown spec.replica',
      ],
    );
  });

  it('begins a new release with the newest one before it, comments included', () => {
    const tree = fixture();
    apply(tree, newRelease(readReleaseRepository(tree), { version: 'aws/v23.0.0', components: new Map([['cache', '0.3.0']]) }));
    const definition = tree.get('aws/v23.0.0/release.yaml') ?? '';
    assert.match(
      definition,
      /name: aws-v23\.0\.0\n[^]*state: wip\n[^]*# The chart of the Operator cache\.\n[^]*version: 0\.3\.0\n[^]*'>=22\.0\.0 <23\.0\.0'/,
    );
    assert.doesNotMatch(definition, /digest/);
    assert.match(tree.get('aws/v23.0.0/base/machinepool.yaml') ?? '', /name: machinepool-23-0-0/);
    assert.throws(
      () => newRelease(readReleaseRepository(tree), { version: 'aws/v22.0.0', components: new Map() }),
      /aws\/v22\.0\.0 exists/,
    );
  });
});

function fixture(): Tree {
  const files = globSync('**/*.yaml', { cwd: FIXTURE }).sort();
  return new Map(files.map((file) => [file, readFileSync(join(FIXTURE, file), 'utf8')]));
}

function edit(tree: Tree, file: string, from: string | RegExp, to: string): void {
  const text = tree.get(file) ?? '';
  assert.notEqual(text.replace(from, to), text, `${file} has no ${String(from)}`);
  tree.set(file, text.replace(from, to));
}

function upgrade(tree: Tree, request: { to: string; only?: string }): TargetUpgrade {
  const done = upgradeTarget(readReleaseRepository(tree), { target: TARGET, ...request });
  apply(tree, done.changes);
  return done;
}

function apply(tree: Tree, changes: readonly FileChange[]): void {
  for (const { path, before, after } of changes) {
    assert.equal(tree.get(path), before);
    if (after === undefined) tree.delete(path);
    else tree.set(path, after);
  }
}

function refusal(tree: Tree, request: { to: string; only?: string }): string[] {
  try {
    upgradeTarget(readReleaseRepository(tree), { target: TARGET, ...request });
  } catch (error) {
    if (isAppError(error, 'ReleaseRejected'))
      return error.faults.map(({ file, line, message }) => `${file ?? ''}:${line ?? 0}: ${message}`);
    throw error;
  }
  return [];
}

function effective(tree: Tree): ReturnType<typeof effectiveTarget> {
  const repository = readReleaseRepository(tree);
  const [target] = repository.targets;
  assert.ok(target);
  return effectiveTarget(repository, target);
}

function valueOf(tree: Tree, kind: string, path: string): { origin?: string; value?: unknown } {
  const resource = effective(tree).resources.find((one) => one.resource.startsWith(kind));
  return resource?.values.find((one) => one.path === path) ?? {};
}
