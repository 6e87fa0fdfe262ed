import assert from 'node:assert/strict';
import { appendFile, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { eventually } from '../../support/eventually.ts';
import { addSignals, noteCall, noteRestCall, PRODUCT_LOG, resourceIn } from '../../support/signals.ts';
import { takeWaits } from '../../support/waits.ts';

const DEPLOYMENT = '/apis/apps/v1/namespaces/team-a/deployments/web';

describe('a wait of a test', () => {
  let stateDir: string;
  const audit = (): string => join(stateDir, 'audit.log');
  const write = (verb: string, objectRef: object): string => `${stringifyJson({ verb, objectRef })}\n`;

  before(async () => {
    stateDir = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-signals-'));
    await writeFile(audit(), '');
    addSignals(stateDir);
  });
  after(() => rm(stateDir, { recursive: true }));

  /** Waits for the third attempt, of which each reads a Deployment, and has something happen after each. */
  const waitFor = async (read: () => void, happen: (attempt: number) => Promise<void>): Promise<void> => {
    let attempts = 0;
    takeWaits();
    await eventually(async () => {
      read();
      attempts += 1;
      if (attempts === 3) return true;
      void happen(attempts);
      return false;
    }, 'the third attempt');
  };

  it('goes on when what it has read was written, also in a new file of the audit log', async () => {
    await waitFor(
      () => noteCall(stateDir, { method: 'GET', path: DEPLOYMENT }),
      async (attempt) => {
        if (attempt === 2) {
          await rename(audit(), `${audit()}.1`);
          await writeFile(audit(), '');
        }
        await appendFile(audit(), write('patch', { resource: 'deployments', namespace: 'team-a', name: 'web' }));
      },
    );
    assert.deepEqual(
      takeWaits().map(({ trigger }) => trigger),
      ['Changed'],
    );
  });

  it('does not when something else was written, or the same was read', async () => {
    await waitFor(
      () => noteCall(stateDir, { method: 'GET', path: DEPLOYMENT }),
      async () => {
        await appendFile(audit(), write('patch', { resource: 'deployments', namespace: 'team-b', name: 'web' }));
        await appendFile(audit(), write('get', { resource: 'deployments', namespace: 'team-a', name: 'web' }));
      },
    );
    assert.deepEqual(
      takeWaits().map(({ trigger }) => trigger),
      ['Silent'],
    );
  });

  it('passes over a line that was half written when it began', async () => {
    await appendFile(audit(), '{"verb":"patch","objectRef":{"resource":"deploy');
    await waitFor(
      () => noteCall(stateDir, { method: 'GET', path: DEPLOYMENT }),
      async (attempt) => {
        const rest = attempt === 1 ? 'ments"},"verb":"patch"}\n' : '';
        await appendFile(audit(), rest + write('patch', { resource: 'deployments', namespace: 'team-a', name: 'web' }));
      },
    );
    assert.deepEqual(
      takeWaits().map(({ trigger }) => trigger),
      ['Changed'],
    );
  });

  it('for an answer of REST goes on when the product has logged something about what is in its path', async () => {
    await waitFor(
      () => noteRestCall(stateDir, '/environments/team-a/instances?limit=1'),
      async () => await appendFile(join(stateDir, PRODUCT_LOG), '{"msg":"Reconciled","key":"team-a"}\n'),
    );
    assert.deepEqual(
      takeWaits().map(({ trigger }) => trigger),
      ['Changed'],
    );
  });

  it('that hits its bound says what was waited for, the last error and the load', async () => {
    const failing = eventually(async () => await Promise.reject(new Error('not there yet')), 'it is there', 0.01);
    await assert.rejects(failing, (error: Error) => {
      assert.match(error.message, /^not within 0\.01 s: it is there\nload \d/);
      assert.equal((error.cause as Error).message, 'not there yet');
      return true;
    });
  });
});

const PATHS = [
  [DEPLOYMENT, { resource: 'deployments', namespace: 'team-a', name: 'web' }, 'a namespaced object'],
  [`${DEPLOYMENT}/status`, { resource: 'deployments', namespace: 'team-a', name: 'web' }, 'a subresource'],
  ['/api/v1/namespaces/team-a/pods?limit=500', { resource: 'pods', namespace: 'team-a', name: '' }, 'a list'],
  ['/api/v1/namespaces/team-a', { resource: 'namespaces', namespace: '', name: 'team-a' }, 'a namespace itself'],
  ['/apis/chandlery.dev/v1alpha1/environments', { resource: 'environments', namespace: '', name: '' }, 'a list across the cluster'],
  ['/api/v1/pods?watch=true', undefined, 'a watch'],
  ['/apis', undefined, 'discovery'],
  ['/readyz', undefined, 'no resource'],
] as const;

describe('the path of a call', () => {
  for (const [path, resource, what] of PATHS) {
    it(`${path} is ${what}`, () => assert.deepEqual(resourceIn(path), resource));
  }
});
