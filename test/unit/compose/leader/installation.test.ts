import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { installationOf } from '../../../../src/compose/leader/installation.ts';
import { parseConfig } from '../../../../src/config.ts';

const STATE = { stateDir: '/state', stateId: 'id-1' };

test('an installation is named by its setting, whatever its state folder', async () => {
  const config = parseConfig(['--installation', 'prod/chandlery'], {});
  const one = await installationOf({ config, ...STATE });
  assert.deepEqual(one, { id: 'installation prod/chandlery', name: '"prod/chandlery"' });
  assert.deepEqual(await installationOf({ config, stateDir: '/other', stateId: 'id-2' }), one);
});

test('without the setting, host, state folder and catalogue name it, and the id of the state folder stands for it', async () => {
  const config = parseConfig([], {});
  assert.deepEqual(await installationOf({ config, ...STATE, catalogDir: '/catalog' }), {
    id: 'state id-1',
    name: `the process on ${hostname()} with state folder "/state" and catalogue "/catalog"`,
  });
});
