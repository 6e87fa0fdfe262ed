import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepJournal } from '../../../src/compose/keep-journal.ts';
import { parseActor } from '../../../src/domain/actor.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { Journal, JournalEntry } from '../../../src/domain/journal.ts';
import type { Log, LogKeys } from '../../../src/observe/log.ts';
import { instanceDeed, journaled } from '../../../src/operation/journaled.ts';
import { listJournal } from '../../../src/operation/list-journal.ts';
import type { Ports } from '../../../src/operation/ports.ts';
import { ASKING, EVERY_ENTRY, sampleJournal } from '../../support/sample-journal.ts';

const ANNA = parseActor('oidc:anna', ['oidc:team-a']);
const DEED = instanceDeed('create instance', { environment: 'shop', app: 'caches.example.com', name: 'c' }, ASKING);

describe('an act of somebody', () => {
  const outcomeOf = async (act: () => Promise<unknown>): Promise<unknown[]> => {
    const entries: JournalEntry[] = [];
    await journaled({ journal: sampleJournal(entries) }, ANNA, DEED, act).catch(() => undefined);
    return entries.map(({ user, groups, action, environment, target, outcome, code, via, requestId }) =>
      [user, groups.join(), action, environment, target, outcome, code, via, requestId].join(' '),
    );
  };
  const line = (end: string): string => `oidc:anna oidc:team-a create instance shop shop/caches.example.com/c ${end} api r`;

  it('is one line, whatever comes of it', async () => {
    assert.deepEqual(await outcomeOf(async () => 'x'), [line('done ')]);
    assert.deepEqual(await outcomeOf(async () => await Promise.reject(new AppError('Forbidden', 'no'))), [line('refused Forbidden')]);
    const away = new AppError('ClusterUnavailable', 'the password is hunter2');
    assert.deepEqual(await outcomeOf(async () => await Promise.reject(away)), [line('failed ClusterUnavailable')]);
    assert.deepEqual(await outcomeOf(async () => await Promise.reject(new Error('hunter2'))), [line('failed Internal')]);
  });
});

describe('the journal of operations', () => {
  const logged = (): { lines: [string, LogKeys][]; log: Log } => {
    const lines: [string, LogKeys][] = [];
    const write = (message: string, keys: LogKeys = {}): void => void lines.push([message, keys]);
    const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log };
    return { lines, log };
  };
  const act = async (journal: Journal, log: Log): Promise<string> =>
    await journaled({ journal: keepJournal(journal, log, 20) }, ANNA, DEED, async () => 'made');
  const search = async (): Promise<readonly JournalEntry[]> => [];

  it('puts each act into the log as well, where it is when the store fails, and holds no answer back', async () => {
    const { lines, log } = logged();
    const broken: Journal = { search, append: async () => await Promise.reject(new Error('no space left')) };
    assert.equal(await act(broken, log), 'made');
    assert.equal(lines[0]?.[1]['target'], DEED.target);
    assert.match(lines[1]?.[0] ?? '', /cannot be written/);
  });

  it('waits for a slow store only so long', async () => {
    const { lines, log } = logged();
    const stuck: Journal = { search, append: async () => await new Promise(() => undefined) };
    assert.equal(await act(stuck, log), 'made');
    assert.match(lines.at(-1)?.[0] ?? '', /slow/);
  });
});

describe('reading the journal', () => {
  const portsFor = (allowed: boolean): Pick<Ports, 'clusters' | 'journal'> & { asked: unknown[] } => {
    const asked: unknown[] = [];
    const review = async (right: unknown): Promise<{ allowed: boolean }> => {
      asked.push(right);
      return await Promise.resolve({ allowed });
    };
    return { asked, journal: sampleJournal(), clusters: { asActor: () => ({ review }) } as unknown as Ports['clusters'] };
  };

  it('takes a right of its own, asked for as whoever reads', async () => {
    const ports = portsFor(false);
    await assert.rejects(listJournal(ports, ANNA, EVERY_ENTRY), {
      code: 'Forbidden',
      missing: { verb: 'list', group: 'chandlery.dev', resource: 'journal' },
    });
    assert.deepEqual(ports.asked, [{ verb: 'list', group: 'chandlery.dev', resource: 'journal' }]);
  });

  it('comes in pages that meet, the newest first', async () => {
    const ports = portsFor(true);
    for (let count = 0; count < 5; count += 1) await journaled(ports, ANNA, { ...DEED, target: String(count) }, async () => undefined);
    const seen: string[] = [];
    let before: number | undefined;
    do {
      const page = await listJournal(ports, ANNA, { ...EVERY_ENTRY, limit: 2, ...(before === undefined ? {} : { before }) });
      seen.push(...page.entries.map(({ target }) => target));
      before = page.next;
    } while (before !== undefined);
    assert.deepEqual(seen, ['4', '3', '2', '1', '0']);
  });
});
