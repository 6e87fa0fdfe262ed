import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createParser } from '../../../src/helm/parse-in-worker.ts';

const MINUTE_MS = 60_000;
const text = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;

describe('parsing in a thread', () => {
  it('gives each text its own objects, one after the other and at the same time', async () => {
    const { parse } = createParser();
    const names = async (name: string): Promise<string[]> => (await parse(text(name), MINUTE_MS)).map(({ metadata }) => metadata.name);
    assert.deepEqual(await names('a'), ['a']);
    assert.deepEqual(await names('b'), ['b']);
    assert.deepEqual(await Promise.all(['c', 'd', 'e'].map(names)), [['c'], ['d'], ['e']]);
  });

  it('says what is wrong, and parses the next text all the same', async () => {
    const { parse } = createParser();
    await assert.rejects(parse('a: [\n', MINUTE_MS), { code: 'HelmFailed' });
    assert.equal((await parse(text('a'), MINUTE_MS)).length, 1);
  });

  it('gives up on a text that takes too long, and parses the next one in another thread', async () => {
    const { parse } = createParser();
    await assert.rejects(parse(text('a').repeat(2_000), 0), { code: 'HelmFailed', message: /could not be parsed in 0 s/ });
    assert.equal((await parse(text('b'), MINUTE_MS)).length, 1);
  });
});
