import assert from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import { eventually } from '../support/eventually.ts';
import type { Attack } from './attack.ts';
import { ATTACKED } from './people.ts';
import type { Target } from './target.ts';

// CatalogSources that reach for what belongs to another one. Each test has folders of its own below the folder of the charts.

export const attacks: readonly Attack[] = [
  {
    title: 'a second CatalogSource defines an Environment of the first, gives its author a role in it, and is deleted',
    run: async (target) => {
      const before = await read(target, 'environment', ATTACKED);
      const groups = [{ name: 'oidc:strangers', role: 'maintainer' }];
      await write(target, 'thief', 'steal.yaml', environment('thief-own'), environment(ATTACKED, { groups }));
      await follow(target, 'thief');
      const [fault, ...more] = await faultsOf(target, 'thief', 1);
      assert.equal(
        textAt(fault, 'message'),
        `Environment ${ATTACKED} belongs to the CatalogSource "catalog" (attacked.yaml); remove it from one of the two`,
      );
      assert.equal(`${textAt(fault, 'file') ?? ''}:${String((fault as { line: number }).line)}`, 'steal.yaml:10');
      assert.deepEqual(more, []);
      await eventually(async () => (await read(target, 'environment', 'thief-own')) !== undefined, 'what it owns is there');
      assert.deepEqual(specAndOwner(await read(target, 'environment', ATTACKED)), specAndOwner(before));
      await unfollow(target, 'thief');
      await eventually(async () => (await read(target, 'environment', 'thief-own')) === undefined, 'what it owned is gone');
      const after = await read(target, 'environment', ATTACKED);
      assert.deepEqual([uidOf(after), specAndOwner(after)], [uidOf(before), specAndOwner(before)]);
      return 2;
    },
  },
  {
    title: 'a CatalogSource takes a resource that a person changed, and prunes one that somebody made anew under its name',
    run: async (target) => {
      await write(target, 'taker', 'a.yaml', environment('taken', { displayName: 'From the file' }));
      await kubectl(target, ['apply', '--server-side', '-f', '-'], environment('taken', { displayName: 'From a person' }));
      await follow(target, 'taker');
      assert.match(
        textAt((await faultsOf(target, 'taker', 1))[0], 'message') ?? '',
        /was changed by "kubectl", who now owns spec\.displayName/,
      );
      await unfollow(target, 'taker');
      assert.equal(textAt(await read(target, 'environment', 'taken'), 'spec', 'displayName'), 'From a person');
      await kubectl(target, ['delete', 'environment', 'taken']);

      await write(target, 'taker', 'a.yaml', environment('taken'));
      await follow(target, 'taker');
      await synced(target, 'taker');
      await kubectl(target, ['patch', 'catalogsource', 'taker', '--type=merge', '-p', '{"spec":{"suspend":true}}']);
      await eventually(async () => textAt(ready(await read(target, 'catalogsource', 'taker')), 'reason') === 'Suspended', 'it rests');
      await kubectl(target, ['delete', 'environment', 'taken']);
      await kubectl(target, ['create', '-f', '-'], {
        ...environment('taken'),
        metadata: { name: 'taken', labels: { 'chandlery.dev/source': 'taker' } },
      });
      await unfollow(target, 'taker');
      assert.notEqual(await read(target, 'environment', 'taken'), undefined);
      await kubectl(target, ['delete', 'environment', 'taken']);
      return 2;
    },
  },
  {
    title: 'two CatalogSources swap what they have, and one is renamed: nothing is deleted on the way',
    run: async (target) => {
      await write(target, 'left', 'x.yaml', environment('swap-x', { reclaim: 'Delete' }));
      await write(target, 'right', 'y.yaml', environment('swap-y', { reclaim: 'Delete' }));
      for (const source of ['left', 'right']) await follow(target, source);
      for (const source of ['left', 'right']) await synced(target, source);
      const uids = async (): Promise<unknown[]> => [
        uidOf(await read(target, 'environment', 'swap-x')),
        uidOf(await read(target, 'environment', 'swap-y')),
      ];
      const before = await uids();
      const at = (source: string, file: string): string => join(folderOf(target, source), file);
      await rename(at('left', 'x.yaml'), at('right', 'x.yaml'));
      await rename(at('right', 'y.yaml'), at('left', 'y.yaml'));
      await owns(target, 'right', 'swap-x');
      await owns(target, 'left', 'swap-y');
      // Its values can be changed and taken back by the new owner: no field is left with the old one.
      await write(target, 'right', 'x.yaml', environment('swap-x', { displayName: 'Moved' }));
      await eventually(
        async () => textAt(await read(target, 'environment', 'swap-x'), 'spec', 'reclaim') !== 'Delete',
        'a field that left the file is gone',
      );

      await write(target, 'renamed', 'y.yaml', environment('swap-y', { reclaim: 'Delete' }));
      await follow(target, 'renamed');
      await faultsOf(target, 'renamed', 1);
      await unfollow(target, 'left');
      await owns(target, 'renamed', 'swap-y');
      assert.deepEqual(await uids(), before);
      for (const source of ['right', 'renamed']) await unfollow(target, source);
      return 2;
    },
  },
  {
    title: 'resources that an earlier version applied stay with its field manager for ever',
    run: async (target) => {
      const old = {
        ...environment('older', { displayName: 'Old', reclaim: 'Delete' }),
        metadata: { name: 'older', labels: { 'chandlery.dev/source': 'older' } },
      };
      await kubectl(target, ['apply', '--server-side', '--field-manager=chandlery-source', '-f', '-'], old);
      await write(target, 'older', 'a.yaml', environment('older', { displayName: 'New' }));
      await follow(target, 'older');
      await synced(target, 'older');
      const { stdout } = await target.kubectl('root', ['get', 'environment', 'older', '-o', 'json', '--show-managed-fields']);
      const live = JSON.parse(stdout) as { spec: Record<string, unknown>; metadata: { managedFields: { manager: string }[] } };
      assert.equal(live.spec['displayName'], 'New');
      assert.notEqual(live.spec['reclaim'], 'Delete');
      assert.ok(!live.metadata.managedFields.some(({ manager }) => manager === 'chandlery-source'));
      await unfollow(target, 'older');
    },
  },
];

function environment(name: string, spec: object = {}): object {
  return { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name }, spec };
}

function folderOf({ chartsDir }: Target, source: string): string {
  return join(chartsDir, '..', `source-${source}`);
}

/** One line of JSON in three of YAML, so that a fault has a line to name. */
async function write(target: Target, source: string, file: string, ...documents: readonly object[]): Promise<void> {
  await mkdir(folderOf(target, source), { recursive: true });
  const texts = documents.map((document) => {
    const { metadata, spec, ...head } = document as { metadata: object; spec: object };
    return `# one\n${Object.entries(head)
      .map(([key, value]) => `${key}: ${String(value)}\n`)
      .join('')}metadata: ${stringifyJson(metadata)}\nspec: ${stringifyJson(spec)}\n`;
  });
  await writeFile(join(folderOf(target, source), file), texts.join('---\n'));
}

async function follow(target: Target, source: string): Promise<void> {
  const spec = { folder: { path: folderOf(target, source) } };
  await kubectl(target, ['apply', '-f', '-'], {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: source },
    spec,
  });
}

async function unfollow(target: Target, source: string): Promise<void> {
  await kubectl(target, ['annotate', 'catalogsource', source, 'chandlery.dev/deletion-intent=Cascade', '--overwrite']);
  await kubectl(target, ['delete', 'catalogsource', source, '--timeout=30s']);
  await rm(folderOf(target, source), { recursive: true, force: true });
}

async function kubectl(target: Target, args: readonly string[], manifest?: object): Promise<void> {
  const { exitCode, stderr } = await target.kubectl('admin', args, manifest === undefined ? '' : stringifyJson(manifest));
  assert.equal(exitCode, 0, stderr);
}

async function read(target: Target, kind: string, name: string): Promise<unknown> {
  const { stdout } = await target.kubectl('admin', ['get', kind, name, '--ignore-not-found', '-o', 'json']);
  return stdout === '' ? undefined : JSON.parse(stdout);
}

async function faultsOf(target: Target, source: string, count: number): Promise<readonly unknown[]> {
  return await eventually(async () => {
    const faults = listAt(await read(target, 'catalogsource', source), 'status', 'faults');
    return faults.length === count ? faults : undefined;
  }, `${source} has ${count} faults`);
}

async function synced(target: Target, source: string): Promise<void> {
  await eventually(async () => textAt(ready(await read(target, 'catalogsource', source)), 'status') === 'True', `${source} is in step`);
}

function ready(source: unknown): unknown {
  return listAt(source, 'status', 'conditions').find((condition) => textAt(condition, 'type') === 'Ready');
}

async function owns(target: Target, source: string, name: string): Promise<void> {
  const label = async (): Promise<string | undefined> =>
    textAt(await read(target, 'environment', name), 'metadata', 'labels', 'chandlery.dev/source');
  await eventually(async () => (await label()) === source, `${source} has ${name}`);
  await synced(target, source);
}

function uidOf(object: unknown): string {
  return textAt(object, 'metadata', 'uid') ?? '';
}

function specAndOwner(object: unknown): unknown {
  const { spec, metadata } = object as { spec: unknown; metadata: { labels?: unknown } };
  return [spec, metadata.labels];
}
