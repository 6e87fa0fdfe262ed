import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { parseTests } from '../../../src/helm/release-output.ts';

describe('the tests of a release in what helm status prints', () => {
  const hook = (name: string, events: readonly string[], last_run: object): object => ({ name, kind: 'Job', events, last_run });

  it('are its test hooks, with how the last run ended', () => {
    const hooks = [
      hook('smoke', ['test'], { started_at: '2026-01-01T00:00:00.5Z', completed_at: '2026-01-01T00:00:09Z', phase: 'Failed' }),
      hook('later', ['post-install', 'test'], { phase: '' }),
      hook('migrate', ['pre-upgrade'], { phase: 'Succeeded' }),
    ];
    assert.deepEqual(parseTests(stringifyJson({ name: 'a', hooks })), [
      { name: 'Job smoke', phase: 'Failed', startedAt: '2026-01-01T00:00:00.500Z' },
      { name: 'Job later', phase: '', startedAt: '' },
    ]);
  });

  it('are none in a release without hooks', () => {
    assert.deepEqual(parseTests('{"name":"a"}'), []);
    assert.deepEqual(parseTests('{"hooks":null}'), []);
  });

  it('cannot be distinguished from anything else', () => assert.throws(() => parseTests('Error: x'), { code: 'HelmFailed' }));
});
