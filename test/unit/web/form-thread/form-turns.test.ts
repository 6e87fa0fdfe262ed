import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forPerson } from '../../../../src/web/form-thread/for-person.ts';
import { runFormJob } from '../../../../src/web/form-thread/run-form-job.ts';

const LARGE = 'key: value\n'.repeat(3).concat('# much to read\n'.repeat(5_000));

test('anybody who sends many large forms waits for themselves, and others have their turn between them', async () => {
  const done: string[] = [];
  const send = (user: string): Promise<void> =>
    forPerson(user, async () => {
      await runFormJob('readYaml', LARGE);
      done.push(user);
    });
  const many = Array.from({ length: 9 }, () => send('many'));
  const all = await Promise.allSettled([...many, send('one'), send('other')]);
  assert.deepEqual(done.slice(0, 4).toSorted(), ['many', 'many', 'one', 'other']);
  const rejected = all.filter(({ status }) => status === 'rejected');
  assert.equal(rejected.length, 2);
  for (const one of rejected) assert.equal((one as PromiseRejectedResult).reason.code, 'LimitReached');
});
