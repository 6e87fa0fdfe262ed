import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { describe, test } from 'node:test';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { createLog, type LogOptions, withRequestId } from '../../../src/observe/log.ts';
import { secret } from '../../../src/domain/core/secret.ts';

function written(options: Pick<LogOptions, 'level' | 'format'>, act: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  act(createLog({ ...options, write: (text) => lines.push(text) }));
  return lines;
}

describe('the log', () => {
  test('is JSON for collectors: a constant message and keys', () => {
    const [line = ''] = written({ level: 'info', format: 'json' }, (log) =>
      log.child({ part: 'kube' }).warn('It is away', { cluster: 'demo' }),
    );
    const { time, ...rest } = JSON.parse(line) as Record<string, unknown>;
    assert.deepEqual(rest, { level: 'warn', msg: 'It is away', cluster: 'demo', part: 'kube' });
    assert.match(String(time), /^\d{4}-\d\d-\d\dT/);
  });

  test('is one line for people, line breaks in values included', () => {
    const [line = ''] = written({ level: 'info', format: 'lines' }, (log) =>
      log.error('It broke', { err: new Error('two\nlines'), key: 'a\nb', count: 2 }),
    );
    assert.match(line, /^\d\d:\d\d:\d\d error It broke \(two lines\) key=a b count=2\n$/);
  });

  test('writes out what a terminal would obey or what hides text, and stays JSON for collectors', () => {
    const value = 'a\u001b[31mb\u009bc\u202ed\u007f\u2028e\u{e0041}';
    const act = (log: ReturnType<typeof createLog>): void => log.info('Path', { path: value, err: new Error(value) });
    const [line = ''] = written({ level: 'info', format: 'lines' }, act);
    assert.match(line, /path=a\\u001b\[31mb\\u009bc\\u202ed\\u007f\\u2028e\\udb40\\udc41\n$/);
    const [json = ''] = written({ level: 'info', format: 'json' }, act);
    for (const text of [line, json]) assert.match(text, /^[ -~]*\n$/);
    assert.equal((JSON.parse(json) as { path: string }).path, value);
  });

  test('names the request that it is written for, and no other', async () => {
    const lines = written({ level: 'info', format: 'json' }, (log) => {
      withRequestId('request-1', () => log.child({ part: 'kube' }).info('It was asked'));
      log.info('It was done');
    });
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { requestId?: string }).requestId),
      ['request-1', undefined],
    );
  });

  test('leaves out what is below its level', () => {
    assert.deepEqual(
      written({ level: 'warn', format: 'json' }, (log) => log.info('Chatter')),
      [],
    );
  });
});

describe('a secret', () => {
  test('prints as [secret], however it is printed, and reveals itself only when asked', () => {
    const password = secret('hunter2');
    const [line = ''] = written({ level: 'info', format: 'json' }, (log) => log.info('Sign in', { password, nested: { password } }));
    const prints = [String(password), stringifyJson({ password }), inspect(password), inspect({ password }), line];
    for (const print of prints) {
      assert.match(print, /\[secret\]/);
      assert.doesNotMatch(print, /hunter2/);
    }
    assert.equal(password.reveal(), 'hunter2');
  });
});
