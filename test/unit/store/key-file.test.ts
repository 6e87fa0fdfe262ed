import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createSeal } from '../../../src/domain/core/seal.ts';
import { createKeys, openKeyFile, rotateKeys } from '../../../src/store/key-file.ts';

const [MINUTE, DAY] = [60_000, 86_400_000];
const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('the file of the sealing keys', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chandlery-keys-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('is made at the first start with a random key, for its owner alone, and stays', async () => {
    const [file, other] = [join(folder, 'deep', 'keys.json'), join(folder, 'other.json')];
    const opened = await Promise.all([openKeyFile({ file, missing: 'create' }), openKeyFile({ file: other, missing: 'create' })]);
    const again = await openKeyFile({ file, missing: 'fail' });
    const [first, second] = opened.map((one) => one.keys());
    assert.deepEqual(again.keys(), first);
    assert.notDeepEqual(second, first);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    for (const one of [...opened, again]) one.close();
  });

  it('is never written over, and one that is missing or broken is named', async () => {
    const file = join(folder, 'known.json');
    await createKeys(file);
    await assert.rejects(createKeys(file), { code: 'ConfigInvalid' });
    await assert.rejects(openKeyFile({ file: join(folder, 'none'), missing: 'fail' }), /none does not exist; bring it back/);
    for (const text of ['', '{}', '{"keys":[{"id":"a","key":"AAAA","usedFrom":"2026-01-01"}]}']) {
      await writeFile(join(folder, 'broken.json'), text);
      await assert.rejects(openKeyFile({ file: join(folder, 'broken.json'), missing: 'create' }), /broken\.json cannot be read/);
    }
  });

  it('seals with a new key only when every replica has had the time to read it, and opens with the keys before', async () => {
    const file = join(folder, 'rotated.json');
    const [first] = await createKeys(file);
    const keys = await rotateKeys(file, NOW);
    let now = NOW;
    const seal = createSeal({ keys: () => keys, purpose: 'test', clock: () => now });
    const early = seal.seal('content', 'place');
    assert.ok(early.startsWith(`${first?.id}.`), 'one that has not read the file can open it');
    now += 11 * MINUTE;
    const late = seal.seal('content', 'place');
    assert.ok(late.startsWith(`${keys[0]?.id}.`));
    for (const sealed of [early, late]) assert.equal(seal.open(sealed, 'place')?.toString(), 'content');
    assert.equal(seal.open(late, 'elsewhere'), undefined);
    assert.equal(createSeal({ keys: () => keys, purpose: 'another' }).open(late, 'place'), undefined);
  });

  it('loses a key when no session that it sealed can be left, and never the one that seals', async () => {
    const file = join(folder, 'old.json');
    const [first] = await createKeys(file);
    const [second] = await rotateKeys(file, NOW);
    const soon = await rotateKeys(file, NOW + 20 * DAY);
    assert.deepEqual(soon.map(({ id }) => id).slice(1), [second?.id, first?.id]);
    const later = await rotateKeys(file, NOW + 40 * DAY);
    assert.deepEqual(
      later.map(({ id }) => id),
      [later[0]?.id, soon[0]?.id, second?.id],
    );
  });
});
