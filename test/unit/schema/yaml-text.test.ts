import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseYamlDocument } from '../../../src/domain/core/bounded-yaml.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { Json } from '../../../src/domain/kubernetes/resource.ts';
import { readYaml, writeYaml } from '../../../src/schema/yaml-text.ts';
import { runs } from '../../support/runs.ts';

const faults: readonly { readonly world: string; readonly text: string; readonly line: number; readonly says: RegExp }[] = [
  { world: 'A broken line is named', text: 'a: 1\nb: [1,\nc: 2\n', line: 3, says: /not valid YAML/ },
  { world: 'A key that is there twice is named', text: 'a: 1\nb: 2\na: 3\n', line: 3, says: /unique/ },
  { world: 'An alias is rejected', text: 'a: &x [1]\nb: *x\n', line: 2, says: /Aliases/ },
  { world: 'A tag nobody knows is rejected', text: 'a: 1\nb: !thing {}\n', line: 2, says: /tag/i },
  {
    world: 'A number that would be rounded is rejected',
    text: 'a: 1\nb: 12345678901234567890\n',
    line: 2,
    says: /12345678901234567890 has more digits/,
  },
  { world: 'A fraction that would be rounded is rejected', text: 'a: 0.12345678901234567890\n', line: 1, says: /has more digits/ },
  { world: 'What JSON cannot hold is rejected', text: 'a: .inf\n', line: 1, says: /cannot be stored|not a number/ },
  { world: 'A key that is a list is rejected', text: '? [a]\n: 1\n', line: 1, says: /key must be plain text/ },
  { world: 'A second document is rejected', text: 'a: 1\n---\nb: 2\n', line: 2, says: /document/i },
  { world: 'Brackets without end are rejected', text: '['.repeat(20_000), line: 1, says: /not valid YAML|nested too deeply/ },
  { world: 'Dashes without end are rejected', text: '- '.repeat(20_000), line: 1, says: /nested too deeply/ },
  { world: 'A text of megabytes is rejected', text: `a: "${'x'.repeat(1_000_000)}"`, line: 1, says: /longer than/ },
];

for (const { world, text, line, says } of faults) {
  test(world, () => {
    const read = readYaml(text);
    assert.match(read.fault ?? '', says);
    assert.equal(read.fault === undefined ? 0 : read.line, line);
  });
}

test('A whole number of 64 bits is kept to its last digit', () => {
  const value = { a: 9007199254740993n, b: [-9223372036854775807n], c: 1 };
  assert.deepEqual(readYaml('a: 9007199254740993\nb: [-9223372036854775807]\nc: 1\n').value, value);
  assert.deepEqual(readYaml(writeYaml(value)).value, value);
});

test('An empty text and one of comments alone are no value', () => {
  for (const text of ['', '  \n', '# nothing yet\n']) assert.deepEqual(readYaml(text), {});
});

test('Scalars are what Helm and kubectl take them for, and names of the language are only keys', () => {
  const text = `a: yes\nb: 012\nc: [off, "off", 0o17, 0x1F, 1:30, 2026-01-31, 1_000, 1e3, ~]\n<<: {d: n}\non: 1\n__proto__: {x: 1}\n`;
  assert.deepEqual(readYaml(text).value, parseYamlDocument(text));
  assert.deepEqual(readYaml('a: yes\nb: 012\n__proto__: {x: 1}\n').value, JSON.parse('{"a":true,"b":10,"__proto__":{"x":1}}'));
  const words = ['off', 'y', '012', '1_000', '0o17', '1:30', '2026-01-31', '.inf', '=', '<<', 'null', '1e3'];
  for (const word of words) assert.deepEqual(parseYamlDocument(writeYaml({ [word]: word })), { [word]: word });
  assert.equal(Object.hasOwn(Object.prototype, 'x'), false);
});

test('Whatever JSON holds can be written and read again', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (generated) => {
      const value = JSON.parse(JSON.stringify(generated)) as Json;
      assert.deepEqual(JSON.parse(stringifyJson(readYaml(writeYaml(value)).value)), value);
    }),
    { numRuns: runs(300) },
  );
});
