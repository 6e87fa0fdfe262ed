import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAuditPort } from '../../../src/compose/create-audit-port.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { parseActor } from '../../../src/domain/kubernetes/actor.ts';
import { AppError } from '../../../src/domain/core/errors.ts';
import type { AuditEntry, AuditLog } from '../../../src/domain/audit/audit-log.ts';
import { changedObjects } from '../../../src/domain/audit/changed-objects.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import type { Log, LogKeys } from '../../../src/observe/log.ts';
import { instanceEvent, audited } from '../../../src/operation/audit/audited.ts';
import { listAuditEvents } from '../../../src/operation/audit/list-audit-events.ts';
import type { Ports } from '../../../src/operation/ports.ts';
import { ASKING, EVERY_ENTRY, sampleAuditLog } from '../../support/sample-audit-log.ts';

const ANNA = parseActor('oidc:anna', ['oidc:team-a']);
const EVENT = instanceEvent('create instance', { environment: 'shop', app: 'caches.example.com', name: 'c' }, ASKING);

describe('an act of somebody', () => {
  const outcomeOf = async (act: () => Promise<unknown>): Promise<unknown[]> => {
    const entries: AuditEntry[] = [];
    await audited({ auditLog: sampleAuditLog(entries) }, ANNA, EVENT, act).catch(() => undefined);
    return entries.map(({ user, groups, action, environment, target, outcome, code, via, requestId }) =>
      [user, groups.join(), action, environment, target, outcome, code, via, requestId].join(' '),
    );
  };
  const line = (end: string): string => `oidc:anna oidc:team-a create instance shop shop/caches.example.com/c ${end} api r`;

  it('is one line, whatever comes of it', async () => {
    assert.deepEqual(await outcomeOf(async () => 'x'), [line('succeeded ')]);
    assert.deepEqual(await outcomeOf(async () => await Promise.reject(new AppError('Forbidden', 'no'))), [line('rejected Forbidden')]);
    const away = new AppError('ClusterUnavailable', 'the password is hunter2');
    assert.deepEqual(await outcomeOf(async () => await Promise.reject(away)), [line('failed ClusterUnavailable')]);
    assert.deepEqual(await outcomeOf(async () => await Promise.reject(new Error('hunter2'))), [line('failed Internal')]);
  });
});

describe('the objects of a release in the audit log', () => {
  const object = (kind: string, name: string, more: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, ...more },
  });
  const hook = (name: string, events: string): KubeObject => object('Job', name, { annotations: { 'helm.sh/hook': events } });

  it('are those that differ between two manifests, without what Helm keeps, and the hooks of the event', () => {
    const kept = object('Secret', 'password', { annotations: { 'helm.sh/resource-policy': 'keep' } });
    const before = { objects: [object('ConfigMap', 'old'), object('ConfigMap', 'same'), object('Service', 'web'), kept], hooks: [] };
    const after = {
      objects: [object('ConfigMap', 'same'), object('Service', 'web', { labels: { a: 'b' } }), object('Pod', 'new')],
      hooks: [hook('migrate', 'post-install, pre-upgrade'), hook('clean', 'pre-delete')],
    };
    assert.deepEqual(changedObjects({ before, after, events: ['pre-upgrade', 'post-upgrade'] }), {
      created: ['Pod new'],
      changed: ['Service web'],
      removed: ['ConfigMap old'],
      hooks: ['Job migrate'],
      more: 0,
    });
  });

  it('are at most fifty, those that were removed first, and the others are counted', () => {
    const many = Array.from({ length: 40 }, (_, index) => object('Pod', `p${index}`));
    const others = Array.from({ length: 30 }, (_, index) => object('Job', `j${index}`));
    const { created, removed, more } = changedObjects({
      before: { objects: many, hooks: [] },
      after: { objects: others, hooks: [] },
      events: [],
    });
    assert.deepEqual([removed.length, created.length, more], [40, 10, 20]);
  });
});

describe('the audit log of operations', () => {
  const logged = (): { lines: [string, LogKeys][]; log: Log } => {
    const lines: [string, LogKeys][] = [];
    const write = (message: string, keys: LogKeys = {}): void => void lines.push([message, keys]);
    const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log };
    return { lines, log };
  };
  const act = async (auditLog: AuditLog, log: Log): Promise<string> =>
    await audited({ auditLog: createAuditPort({ auditLog, log, timeoutMs: 20 }) }, ANNA, EVENT, async () => 'made');
  const search = async (): Promise<readonly AuditEntry[]> => [];

  it('puts each act into the log as well, where it is when the store fails, and holds no answer back', async () => {
    const { lines, log } = logged();
    const broken: AuditLog = { search, append: async () => await Promise.reject(new Error('no space left')) };
    assert.equal(await act(broken, log), 'made');
    assert.equal(lines[0]?.[1]['target'], EVENT.target);
    assert.match(lines[1]?.[0] ?? '', /cannot be written/);
  });

  it('prints each act as one JSON line with the audit id of its calls, and not into the process log then', async () => {
    const { lines, log } = logged();
    const printed: string[] = [];
    const input = { auditLog: sampleAuditLog([]), log, print: (line: string) => void printed.push(line) };
    const event = { ...EVENT, requestId: 'request-1', target: 'shop/caches.example.com/\u202ec\n{}' };
    await audited({ auditLog: createAuditPort(input) }, ANNA, event, async () => 'made');
    assert.equal(lines.length, 0);
    assert.match(printed.join(''), /^[\x20-\x7e]+\n$/);
    const { time, ...entry } = JSON.parse(printed.join('')) as Record<string, unknown>;
    assert.ok(!Number.isNaN(Date.parse(String(time))));
    const target = 'shop/caches.example.com/\\u202ec\\u000a{}';
    const { user, groups } = ANNA;
    const said = { user, groups, action: 'create instance', environment: 'shop', target, outcome: 'succeeded', code: '', via: 'api' };
    assert.deepEqual(entry, { msg: 'audit event', ...said, requestId: 'request-1', auditID: 'request-1' });
  });

  it('bounds and spells out what comes from anybody who asks', async () => {
    const entries: AuditEntry[] = [];
    const groups = Array.from({ length: 500 }, (_, index) => `oidc:${String(index).padStart(200, 'g')}`);
    const actor = parseActor(`oidc:${'u'.repeat(5000)}`, groups);
    const event = { ...EVENT, target: `\u001b[2J\u202e\n${'t'.repeat(1_000_000)}`, requestId: 'r'.repeat(5000) };
    await audited(
      { auditLog: createAuditPort({ auditLog: sampleAuditLog(entries), log: logged().log }) },
      actor,
      event,
      async () => 'made',
    );
    assert.ok(stringifyJson(entries).length < 4096, `${stringifyJson(entries).length} characters`);
    assert.match(entries[0]?.target ?? '', /^\\u001b\[2J\\u202e\\u000at/);
    assert.match(entries[0]?.groups.at(-1) ?? '', /^… \d+ more$/);
  });

  it('records a hundred rejected actions of a person in an hour, then their number; successful actions, and those of others, as ever', async () => {
    const entries: AuditEntry[] = [];
    const port = createAuditPort({ auditLog: sampleAuditLog(entries), log: logged().log });
    let now = Date.parse('2026-01-01T10:00:00Z');
    const auditLog = { ...port, now: () => now };
    const ben = parseActor('oidc:ben', ['oidc:team-b']);
    const reject = async (): Promise<never> => await Promise.reject(new AppError('Forbidden', 'no'));
    for (let n = 0; n < 300; n += 1) await assert.rejects(audited({ auditLog }, ANNA, EVENT, reject), /no/);
    await audited({ auditLog }, ANNA, EVENT, async () => 'made');
    await assert.rejects(audited({ auditLog }, ben, EVENT, reject), /no/);
    assert.equal(entries.length, 103);
    assert.match(entries[100]?.target ?? '', /more than 100 in an hour/);
    now += 3_600_000;
    await audited({ auditLog }, ben, EVENT, async () => 'made');
    const number = entries.find(({ target }) => target.startsWith('200 '));
    assert.deepEqual([number?.user, number?.action, number?.outcome], ['oidc:anna', 'further rejected actions', 'rejected']);
  });

  it('lets nobody act so fast that the entries of others are pushed out', async () => {
    const entries: AuditEntry[] = [];
    const auditLog = createAuditPort({ auditLog: sampleAuditLog(entries), log: logged().log });
    let done = 0;
    const act = async (): Promise<number> => (done += 1);
    const tries = Array.from({ length: 700 }, async () => await audited({ auditLog }, ANNA, EVENT, act).catch((error: unknown) => error));
    const rejected = (await Promise.all(tries)).filter((answer) => answer instanceof AppError && answer.code === 'TooManyRequests');
    assert.ok(done >= 600 && done < 620, `${done} were done`);
    assert.equal(rejected.length, 700 - done);
    assert.equal(await audited({ auditLog }, parseActor('oidc:ben', ['oidc:b']), EVENT, act), done, 'others are not held up');
  });

  it('waits for a slow store only so long', async () => {
    const { lines, log } = logged();
    const stuck: AuditLog = { search, append: async () => await new Promise(() => undefined) };
    assert.equal(await act(stuck, log), 'made');
    assert.match(lines.at(-1)?.[0] ?? '', /slow/);
  });
});

describe('reading the audit log', () => {
  const portsFor = (allowed: boolean): Pick<Ports, 'clusters' | 'auditLog'> & { asked: unknown[] } => {
    const asked: unknown[] = [];
    const review = async (permission: unknown): Promise<{ allowed: boolean }> => {
      asked.push(permission);
      return await Promise.resolve({ allowed });
    };
    return { asked, auditLog: sampleAuditLog(), clusters: { asActor: () => ({ review }) } as unknown as Ports['clusters'] };
  };

  it('takes a permission of its own, asked for as the reader', async () => {
    const ports = portsFor(false);
    await assert.rejects(listAuditEvents(ports, ANNA, EVERY_ENTRY), {
      code: 'Forbidden',
      missing: { verb: 'list', group: 'chandlery.dev', resource: 'auditevents' },
    });
    assert.deepEqual(ports.asked, [{ verb: 'list', group: 'chandlery.dev', resource: 'auditevents' }]);
  });

  it('comes in pages that meet, the newest first', async () => {
    const ports = portsFor(true);
    for (let count = 0; count < 5; count += 1) await audited(ports, ANNA, { ...EVENT, target: String(count) }, async () => undefined);
    const seen: string[] = [];
    let before: number | undefined;
    do {
      const page = await listAuditEvents(ports, ANNA, { ...EVERY_ENTRY, limit: 2, ...(before === undefined ? {} : { before }) });
      seen.push(...page.entries.map(({ target }) => target));
      before = page.next;
    } while (before !== undefined);
    assert.deepEqual(seen, ['4', '3', '2', '1', '0']);
  });
});
