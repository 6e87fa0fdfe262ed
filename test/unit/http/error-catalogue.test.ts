import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ERROR_TABLE } from '../../../src/domain/core/errors.ts';

describe('the error catalogue', () => {
  const text = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  for (const [code, { status, title }] of Object.entries(ERROR_TABLE)) {
    it(`says of ${code} what the table says, what it means, and what to do`, () => {
      const section = text.split(`## \`${code}\`\n`)[1]?.split('\n## ')[0] ?? '';
      assert.ok(section.includes(`**${status}, ${title}.** `), section);
      assert.match(section, /\*\* [A-Z].{20,}\n\nWhat to do: .{10,}/);
    });
  }
});
