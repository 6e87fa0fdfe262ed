import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import type { AuditEntry } from '../../../../src/domain/audit/audit-log.ts';
import type { InstanceView } from '../../../../src/domain/instance/instance.ts';
import { instanceEvent, audited } from '../../../../src/operation/audit/audited.ts';
import { sampleInstances } from '../../../support/sample-instances.ts';
import { sampleAuditLog } from '../../../support/sample-audit-log.ts';
import { type SampleWeb, startSampleWeb } from '../../../support/sample-web.ts';

const INSTALL = '/apps/postgresclusters.samples.chandlery.dev/install';
const [orders] = sampleInstances('team-a') as readonly [InstanceView];

const entries: AuditEntry[] = [];
const begun = Promise.withResolvers<undefined>();
const gone = Promise.withResolvers<undefined>();
const written = Promise.withResolvers<undefined>();
let web: SampleWeb;

before(async () => {
  web = await startSampleWeb({
    createInstance: async (actor, draft) => {
      const made = await audited({ auditLog: sampleAuditLog(entries) }, actor, instanceEvent('create instance', draft, draft), async () => {
        begun.resolve(undefined);
        await gone.promise;
        return orders;
      });
      written.resolve(undefined);
      return made;
    },
  });
});
after(async () => web.stop());

test('An act whose browser goes away meanwhile is done and in the audit log', async () => {
  const body = new URLSearchParams({ environment: 'team-a', name: 'left', 'v.spec.storage.size': '1Gi', _do: 'install' }).toString();
  const headers = { Cookie: 'chandlery=dev-a', Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' };
  const requestOrigin = request(web.url + INSTALL, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  const closed = new Promise((resolve) => void requestOrigin.on('error', () => undefined).on('close', resolve));
  requestOrigin.end(body);
  await begun.promise;
  requestOrigin.destroy();
  await closed;
  gone.resolve(undefined);
  await written.promise;
  assert.deepEqual(
    entries.map(({ action, target, outcome, via }) => [action, target, outcome, via]),
    [['create instance', 'team-a/postgresclusters.samples.chandlery.dev/left', 'succeeded', 'page']],
  );
});
