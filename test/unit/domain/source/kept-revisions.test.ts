import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type KeptFile, keptRevisionsIn, type KeptRevision, withKeptRevision } from '../../../../src/domain/source/kept-revisions.ts';
import { restoreFiles } from '../../../../src/domain/source/restore-files.ts';
import { withholdSensitive } from '../../../../src/folder/withhold-sensitive.ts';
import { parseFiles } from '../../../../src/folder/parse-files.ts';

const SOURCE = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'CatalogSource', metadata: { name: 'catalog', uid: 'u1' } };

describe('the kept files of a folder', () => {
  it('come back as they were, for their own source alone', async () => {
    const first = { revision: 'sha256:a', files: [{ file: 'a.yaml', text: 'kind: A\n' }, { file: 'token.yaml' }] };
    const second = { revision: 'sha256:b', files: [{ file: 'a.yaml', text: 'kind: A\n' }] };
    const secret = await withKeptRevision([first], second, SOURCE);
    assert.deepEqual(await keptRevisionsIn(secret, SOURCE), [second, first]);
    assert.deepEqual(await keptRevisionsIn(secret, { ...SOURCE, metadata: { name: 'catalog', uid: 'u2' } }), []);
  });

  it('are 20 revisions, fewer where there is no room in a Secret, and none of a folder that is too large', async () => {
    let known: readonly KeptRevision[] = [];
    const keep = async (revision: string, text: string): Promise<string[]> => {
      const secret = await withKeptRevision(known, { revision, files: [{ file: 'a.yaml', text }] }, SOURCE);
      known = secret === undefined ? known : await keptRevisionsIn(secret, SOURCE);
      return secret === undefined ? [] : known.map((one) => one.revision);
    };
    for (let index = 0; index < 25; index += 1) await keep(`r${index}`, `${index}`);
    assert.deepEqual([known.length, known[0]?.revision], [20, 'r24']);
    await keep('large', randomBytes(300 * 1024).toString('base64'));
    assert.deepEqual(await keep('larger', randomBytes(500 * 1024).toString('base64')), ['larger']);
    assert.deepEqual(await keep('huge', randomBytes(1024 * 1024).toString('base64')), []);
  });

  it('have no text of a file with a Secret, a password or a key, also of one that is no YAML just now', async () => {
    const texts: Record<string, string> = {
      'operator.yaml': 'kind: Operator\nspec: {valuesFrom: [{kind: Secret, name: token}]}\n',
      'secret.yaml': 'apiVersion: v1\nkind: Secret\nstringData: {a: b}\n',
      'values.yaml': 'kind: Operator\nspec: {values: {auth: {password: tides}}}\n',
      'kustomization.yaml': 'secretGenerator: [{name: a, literals: [a=b]}]\n',
      'broken.yaml': 'kind: Operator\nspec: {values: [\n',
      'broken-secret.yaml': 'kind: Operator\nspec: {\n  password: tides\n',
    };
    const files = Object.entries(texts).map(([file, text]) => ({ file, text }));
    const kept = withholdSensitive(files, await parseFiles(files));
    const shown = kept.filter(({ text }) => text !== undefined).map(({ file }) => file);
    assert.deepEqual(shown, ['operator.yaml', 'broken.yaml']);
  });
});

describe('the patch that restores a folder', () => {
  const long = (changed: string): string => Array.from({ length: 3_000 }, (_one, index) => `${changed}-${index}`).join('\n');
  const current: KeptFile[] = [
    { file: 'a.yaml', text: 'one\ntwo\nthree\n' },
    { file: 'new.yaml', text: 'new' },
    { file: 'same.yaml', text: 'same\r\n' },
    { file: 'long.yaml', text: long('b') },
    { file: 'token.yaml' },
  ];
  const wanted: KeptFile[] = [
    { file: 'a.yaml', text: 'one\n2\nthree' },
    { file: 'gone and back "é".yaml', text: 'back\n' },
    { file: 'same.yaml', text: 'same\r\n' },
    { file: 'long.yaml', text: long('a') },
    { file: 'token.yaml' },
  ];

  it('is one that git applies, and leaves out what holds sensitive values', () => {
    const { files, withheld } = restoreFiles(current, wanted);
    assert.deepEqual(withheld, ['token.yaml']);
    assert.deepEqual(
      files.map(({ file, change }) => `${change} ${file}`),
      ['Changed a.yaml', 'Added gone and back "é".yaml', 'Changed long.yaml', 'Removed new.yaml'],
    );
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'chandlery-patch-')));
    try {
      for (const { file, text } of current) if (text !== undefined) writeFileSync(join(folder, file), text);
      execFileSync('git', ['apply'], { cwd: folder, input: files.map(({ patch }) => patch).join('') });
      const restored = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]);
      assert.deepEqual(
        new Map(restored as [string, string][]),
        new Map(wanted.flatMap(({ file, text }) => (text === undefined ? [] : [[file, text]]))),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
