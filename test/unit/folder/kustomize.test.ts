import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { ParsedFolder } from '../../../src/domain/source/stock.ts';
import { loadTools } from '../../../src/embedded/cluster/tools.ts';
import { createFolderReader } from '../../../src/folder/read-source-folder.ts';

const CONFIG = '# a comment\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata: {level: low}\n';
let folder: string;

describe('reading a kustomization', () => {
  beforeEach(async () => {
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-kustomization-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('renders base and overlay, and tells of each object the file and line that it came from', async () => {
    await save('base/kustomization.yaml', 'resources: [settings.yaml]\n');
    await save('base/settings.yaml', CONFIG);
    await save('over/kustomization.yaml', 'resources: [../base]\nnamePrefix: eu-\npatches: [{path: patch.yaml}]\n');
    await save('over/patch.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {level: high}\n');
    const { files } = await read('over');
    const [document] = files.flatMap(({ documents }) => documents);
    assert.deepEqual(
      files.flatMap(({ faults }) => faults),
      [],
    );
    assert.deepEqual(document?.content, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'eu-settings' },
      data: { level: 'high' },
    });
    assert.deepEqual([document?.file, document?.locate('metadata.name')], ['base/settings.yaml', { line: 5, column: 3 }]);
  });

  const rejected: readonly { title: string; kustomization: string; line: number; message: RegExp }[] = [
    {
      title: 'an address',
      kustomization: 'resources:\n  - https://example.com/a.yaml\n',
      line: 2,
      message: /"https:.*remote bases are not fetched/,
    },
    { title: 'a repository', kustomization: 'resources: [github.com/a/b?ref=v1]\n', line: 1, message: /remote bases are not fetched/ },
    { title: 'a file outside', kustomization: 'resources: [../../../etc/passwd]\n', line: 1, message: /is not in the folder/ },
    { title: 'a link that leads out', kustomization: 'resources: [link.yaml]\n', line: 1, message: /is not in the folder/ },
    {
      title: 'a file by an address',
      kustomization: 'configMapGenerator:\n  - name: a\n    files: [x=http://127.0.0.1:1/]\n',
      line: 3,
      message: /is not in the folder/,
    },
    { title: 'a chart', kustomization: 'helmCharts: [{name: a}]\n', line: 1, message: /helmCharts is not supported/ },
    { title: 'what kustomize rejects', kustomization: 'nonsense: 1\n', line: 0, message: /^kustomize: .*nonsense/ },
  ];
  for (const { title, kustomization, line, message } of rejected) {
    it(`rejects ${title}, on its line`, async () => {
      await symlink('/etc/hostname', join(folder, 'link.yaml'));
      await save('kustomization.yaml', kustomization);
      const { files } = await read();
      const [fault] = files.flatMap(({ faults }) => faults);
      assert.deepEqual([fault?.file, fault?.line], ['kustomization.yaml', line]);
      assert.match(fault?.message ?? '', message);
      assert.deepEqual(
        files.flatMap(({ documents }) => documents),
        [],
      );
    });
  }

  it('has another revision when a file changes that is no YAML', async () => {
    await save('kustomization.yaml', 'configMapGenerator: [{name: a, files: [a.txt]}]\n');
    await save('a.txt', 'one');
    const { revision: one } = await read();
    await save('a.txt', 'two');
    assert.notEqual((await read()).revision, one);
  });
});

async function save(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await writeFile(join(folder, file), text);
}

async function read(kustomize?: string): Promise<Extract<ParsedFolder, { kind: 'Read' }>> {
  const { kubectl = 'kubectl' } = await loadTools('.');
  const content = await createFolderReader(kubectl)(folder, kustomize === undefined ? {} : { kustomize });
  assert.ok(content.kind === 'Read');
  return content;
}
