import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { AuditQuery } from '../../../src/domain/audit/audit-log.ts';
import { type AuditFileLimits, AuditFiles, FileAuditLog } from '../../../src/store/audit/audit-log.ts';
import { EVERY_ENTRY } from '../../support/sample-audit-log.ts';
import { aLine } from './store-contract.ts';

const DAY = 86_400_000;
const LIMITS: AuditFileLimits = { fileBytes: 2000, fileAgeMs: 30 * DAY, files: 4, retentionMs: 400 * DAY };

describe('the audit log in files', () => {
  let root: string;
  let folder: string;
  let now = Date.parse('2026-01-01T00:00:00Z');
  let count = 0;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'chandlery-audit-'));
  });
  beforeEach(() => {
    count += 1;
    folder = join(root, String(count), 'audit-log');
  });
  after(() => rm(root, { recursive: true }));

  const open = async (limits = LIMITS): Promise<FileAuditLog> =>
    await FileAuditLog.open(new AuditFiles(folder, { limits, clock: () => now }));
  const append = async (log: FileAuditLog, ...targets: string[]): Promise<void> => {
    for (const target of targets) await log.append(aLine({ target, time: new Date(now).toISOString() }));
  };
  const found = async (log: FileAuditLog, query: Partial<AuditQuery> = {}): Promise<string[]> =>
    (await log.search({ ...EVERY_ENTRY, ...query })).map(({ target }) => target);
  const names = (n: number): string[] => Array.from({ length: n }, (_, index) => `t${index + 1}`);

  it('rolls into files for their owner alone, of bounded size and number, and forgets the oldest', async () => {
    const log = await open();
    await append(log, ...names(100));
    const files = (await readdir(folder)).toSorted();
    assert.equal(files.length, LIMITS.files);
    for (const name of files) {
      const { mode, size } = await stat(join(folder, name));
      assert.deepEqual([mode & 0o777, size < 2 * LIMITS.fileBytes], [0o600, true], `${name} of ${size} bytes`);
    }
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    const kept = await found(await open(), { limit: 1000 });
    assert.equal(kept[0], 't100');
    assert.ok(kept.length > 20 && kept.length < 100, `${kept.length} are kept`);
  });

  it('is paged and searched over all of its files, also when only the newest are in memory', async () => {
    const log = await open({ ...LIMITS, fileBytes: 50_000, files: 100 });
    const all = names(2500);
    for (let at = 0; at < all.length; at += 100)
      await Promise.all(all.slice(at, at + 100).map(async (target) => await append(log, target)));
    assert.ok((await readdir(folder)).length > 5);
    for (const opened of [log, await open({ ...LIMITS, files: 100 })]) {
      const pages: string[] = [];
      for (let before: number | undefined; ;) {
        const page = await opened.search({ ...EVERY_ENTRY, limit: 700, ...(before === undefined ? {} : { before }) });
        pages.push(...page.map(({ target }) => target));
        before = page.at(-1)?.id;
        if (page.length < 700) break;
      }
      assert.deepEqual(pages, all.toReversed());
      const first = await opened.search({ ...EVERY_ENTRY, person: 'U', limit: 1, before: 2 });
      assert.deepEqual(
        first.map(({ target }) => target),
        ['t1'],
      );
    }
  });

  it('writes as much for an entry when it is long as when it is short', async () => {
    const log = await open({ ...LIMITS, fileBytes: 1_000_000 });
    await append(log, ...names(500));
    const [name = ''] = await readdir(folder);
    const before = await stat(join(folder, name));
    await append(log, 'one more');
    const after = await stat(join(folder, name));
    assert.equal(after.ino, before.ino, 'the file is not written anew');
    assert.ok(after.size - before.size < 300, `${after.size - before.size} bytes`);
  });

  it('goes on after a crash in the middle of a line', async () => {
    await append(await open(), 'a', 'b');
    const [name = ''] = await readdir(folder);
    await appendFile(join(folder, name), '{"id":3,"targ');
    const log = await open();
    await append(log, 'c');
    assert.deepEqual(await found(await open()), ['c', 'b', 'a']);
    assert.deepEqual(
      (await log.search(EVERY_ENTRY)).map(({ id }) => id),
      [3, 2, 1],
    );
  });

  it('writes what the disk did not take with the next entry that it takes', async () => {
    const log = await open();
    await writeFile(join(root, String(count)), 'in the way');
    await assert.rejects(append(log, 'a'));
    await assert.rejects(append(log, 'b'));
    assert.deepEqual(await found(log), ['b', 'a'], 'it is found meanwhile');
    await rm(join(root, String(count)));
    await append(log, 'c');
    assert.deepEqual(await found(await open()), ['c', 'b', 'a']);
    const [name = ''] = await readdir(folder);
    assert.equal((await readFile(join(folder, name), 'utf8')).split('\n').length, 4, 'each is there once');
  });

  it('begins a new file after a month, and deletes those of more than a year ago', async () => {
    const log = await open();
    await append(log, 'old');
    now += 31 * DAY;
    await append(log, 'newer');
    assert.equal((await readdir(folder)).length, 2);
    for (const name of await readdir(folder)) await utimes(join(folder, name), now / 1000, now / 1000);
    now += 401 * DAY;
    await append(log, 'newest');
    assert.deepEqual(await found(await open()), ['newest']);
  });
});
