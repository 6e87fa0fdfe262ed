import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { generatePassword } from '../../../../src/domain/core/generate-password.ts';

test('A password has 32 characters of three classes, and another one comes each time', () => {
  const passwords = Array.from({ length: 50 }, () => generatePassword({}, randomInt) ?? '');
  for (const password of passwords) {
    assert.equal(password.length, 32);
    assert.match(password, /[A-Z]/);
    assert.match(password, /[a-z]/);
    assert.match(password, /[0-9]/);
  }
  assert.equal(new Set(passwords).size, passwords.length);
});

test('It keeps the lengths that are asked for', () => {
  assert.equal(generatePassword({ maxLength: 12 }, randomInt)?.length, 12);
  assert.equal(generatePassword({ minLength: 40 }, randomInt)?.length, 40);
});

test('It keeps a rule that one of its alphabets can keep', () => {
  const rules = [/^[a-z0-9]{8,}$/, /^[0-9]{8}$/, /^[0-9a-f]+$/, /[-_.]/, /^[A-Z0-9]{16}$/];
  for (const rule of rules) assert.match(generatePassword({ accepts: (text) => rule.test(text) }, randomInt) ?? '', rule);
});

test('It gives up on a rule that none of them keeps', () => {
  assert.equal(generatePassword({ accepts: () => false }, randomInt), undefined);
});

test('Where the classes stand is left to chance', () => {
  const digitAt = (place: number) => /[0-9]/.test(generatePassword({}, randomInt)?.charAt(place) ?? '');
  const hits = Array.from({ length: 200 }, () => digitAt(2)).filter(Boolean).length;
  assert.ok(hits > 5 && hits < 120, `${hits} of 200 have a digit at the third place`);
});
