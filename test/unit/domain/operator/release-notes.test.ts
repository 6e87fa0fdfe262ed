import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { describe, it } from 'node:test';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { notesOf } from '../../../../src/domain/operator/release-notes.ts';

function recordWith(release: string | object): KubeObject {
  const text = typeof release === 'string' ? release : stringifyJson(release);
  const data = { release: Buffer.from(gzipSync(text).toString('base64')).toString('base64') };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' }, data };
}

describe('the notes of a release', () => {
  it('are plain text: what a terminal or a browser would obey is left out', () => {
    const notes = '\u001b[31mRun:\u001b[0m\r\n\tkubectl get pods\u0000 \u202egnp.exe\u2066';
    assert.equal(notesOf(recordWith({ info: { notes }, chart: {} })), '[31mRun:[0m\n\tkubectl get pods gnp.exe');
  });

  it('are short, however long the record makes them', () => {
    assert.equal(notesOf(recordWith({ info: { notes: 'a"'.repeat(500_000) }, chart: {} })).length, 20_000);
  });

  it('are empty for a record that cannot be read', () => {
    const damaged: KubeObject = { ...recordWith(''), data: { release: 'bm90IGEgcmVjb3Jk' } };
    for (const record of [damaged, recordWith('{"info":{"notes":"open'), recordWith({ info: {} })]) assert.equal(notesOf(record), '');
  });
});
