import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  approvalText,
  digestDiffers,
  checkApproval,
  parseApproval,
  type ApprovalContext,
} from '../../../../src/domain/upgrade/upgrade-approval.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

function question(text: string, more: Partial<ApprovalContext> = {}): ApprovalContext {
  return { text, version: '1.4.0', range: '^1', policy: 'Manual', installed: '1.4.0', offered: ['1.4.0', '1.5.0', '2.0.0'], ...more };
}

describe('an approval', () => {
  const cases: readonly [string, ApprovalContext, string][] = [
    ['that nobody gave is none', question(''), 'Without'],
    ['of a newer version on offer counts', question('1.5.0'), 'Given'],
    ['of exactly these bytes counts', question(`1.5.0@${DIGEST}`), 'Given'],
    ['may have a v', question('v1.5.0'), 'Given'],
    ['that has been carried out is none', question('1.5.0', { installed: '1.5.0' }), 'Without'],
    ['that has been carried out still pins the bytes', question(`1.5.0@${DIGEST}`, { installed: '1.5.0' }), 'Given'],
    ['waits until something is installed', question('1.5.0', { installed: undefined }), 'Without'],
    ['is not looked at under Automatic', question('0.1.0', { policy: 'Automatic' }), 'Without'],
    ['of an older version has no effect', question('1.3.0'), 'ApprovalOutdated'],
    ['outside of the range has no effect', question('2.0.0'), 'ApprovalOutOfRange'],
    ['of what nobody offers has no effect', question('1.6.0'), 'ApprovalNotOffered'],
    ['is tried when the repository cannot be asked', question('1.6.0', { offered: [] }), 'Given'],
    ['of any word has no effect', question('yes'), 'ApprovalUnreadable'],
    ['with half a digest has no effect', question('1.5.0@sha256:abc'), 'ApprovalUnreadable'],
    ['with two digests has no effect', question(`1.5.0@${DIGEST}@${DIGEST}`), 'ApprovalUnreadable'],
    ['of a range has no effect', question('^1'), 'ApprovalUnreadable'],
    [
      'does not move a pinned version',
      { text: '1.5.0', version: '1.4.0', policy: 'Manual', installed: '1.4.0', offered: [] },
      'ApprovalPinned',
    ],
    ['works in a range of the chart, too', { text: '1.5.0', version: '^1', policy: 'Manual', installed: '1.4.0', offered: [] }, 'Given'],
  ];
  for (const [title, given, expected] of cases) {
    it(title, () => {
      const verdict = checkApproval(given);
      assert.equal(verdict.kind === 'NoEffect' ? verdict.fault.reason : verdict.kind, expected);
    });
  }

  it('is written as it is read', () => {
    for (const text of ['1.5.0', `1.5.0@${DIGEST}`]) assert.equal(approvalText(parseApproval(text) ?? { version: '' }), text);
  });

  it('says what to do when it has no effect', () => {
    const sentences = cases.flatMap(([, given]) => {
      const verdict = checkApproval(given);
      return verdict.kind === 'NoEffect' ? [verdict.fault.message] : [];
    });
    assert.equal(sentences.length, 8);
    for (const sentence of [...sentences, digestDiffers({ version: '1.5.0', digest: DIGEST }).message]) {
      assert.match(sentence, /(write|approve|widen|take)/);
    }
    assert.ok((sentences.find((sentence) => sentence.includes('yes')) ?? '').length < 200);
  });
});
