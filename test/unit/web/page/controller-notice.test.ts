import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ControllerStatus } from '../../../../src/domain/kubernetes/controller-status.ts';
import { messagePage } from '../../../../src/web/page/message-page.ts';
import { meOf } from '../../../../src/web/page/page.ts';
import { sampleViews } from '../../../support/sample-web.ts';

const HOLDER: ControllerStatus = { kind: 'Standby', holder: 'laptop_1' };
const NOTICE = 'The controller runs in laptop_1; this process is on standby.';

/** The text of a page in a process with this status, for an admin or for somebody else. */
async function pageOf(status: ControllerStatus | undefined, admin: boolean): Promise<string> {
  const actor = { user: 'oidc:ada', groups: ['oidc:platform'] };
  const operations = {
    me: async () => ({ ...actor, admin }),
    countChangeRequests: async () => 0,
  };
  const me = await meOf({ operations, controllerStatus: () => status }, { actor, person: { name: 'Ada Min' } });
  const view = { status: 404, title: 'Not found', message: 'There is no such page', faults: [], requestId: 'r' };
  return sampleViews().render('message', messagePage(view, me));
}

test('admins see on each page that another process runs the controllers', async () => {
  assert.ok((await pageOf(HOLDER, true)).includes(NOTICE));
});

test('others see nothing of it, nor does anybody in the process that runs them or in one without controllers', async () => {
  for (const [status, admin] of [
    [HOLDER, false],
    [{ kind: 'Leader' }, true],
    [{ kind: 'Waiting' }, true],
    [undefined, true],
  ] as const)
    assert.ok(!(await pageOf(status, admin)).includes('standby'));
});
