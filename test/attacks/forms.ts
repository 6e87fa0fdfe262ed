import assert from 'node:assert/strict';
import { isTooLong, shortestOfTries, type Attack } from './attack.ts';
import { ATTACKED, type PersonName } from './people.ts';
import type { Reply, Target } from './target.ts';

const APP = 'caches.samples.chandlery.dev';
const INSTALL = `/apps/${APP}/install`;
const INSTANCE = 'worn-out';
const CHANGE = `/environments/${ATTACKED}/instances/${APP}/${INSTANCE}/edit`;
const KIB = 1024;
const MIB = 1024 * KIB;

type Inputs = readonly (readonly [name: string, value: string])[];

/** A form that was made by hand, and what the product may answer to it. */
interface Try {
  readonly what: string;
  readonly inputs: Inputs;
  readonly statuses: readonly number[];
  /** What the answer says, such as the field that is too large. */
  readonly says?: RegExp;
}

export const attacks: readonly Attack[] = [
  {
    title: 'a person without groups multiplies rows of lists within lists',
    run: async (target) => await tryAll(target, 'stranger', INSTALL, multiplied()),
  },
  {
    title: 'a person without groups sends counts, keys and branches that are none',
    run: async (target) => await tryAll(target, 'stranger', INSTALL, odd()),
  },
  {
    title: 'a person without groups sends as many inputs as a form may have',
    pace: 'slow',
    run: async (target) => await tryAll(target, 'stranger', INSTALL, manyInputs()),
  },
  {
    title: 'a person without groups sends as much YAML as a form may have',
    pace: 'slow',
    run: async (target) => await tryAll(target, 'stranger', INSTALL, muchYaml()),
  },
  {
    title: 'a person without groups follows links that fill a form to the brim',
    run: async (target) => {
      for (const link of links()) {
        const ask = async (): Promise<Reply> => {
          const reply = await target.call('stranger', `${INSTALL}?${link.toString()}`);
          assert.equal(reply.status, 200);
          return reply;
        };
        await assertHeld(target, { what: 'a link', ask, sent: 16 * KIB });
      }
      return links().length;
    },
  },
  {
    title: 'a developer changes an instance with forms that were made by hand',
    run: async (target) => {
      const body = { app: APP, name: INSTANCE, spec: liveSpec() };
      const created = await target.call('developer', `/api/v1/environments/${ATTACKED}/instances`, { method: 'POST', body });
      assert.ok([201, 409].includes(created.status), created.text);
      return await tryAll(target, 'developer', CHANGE, changes());
    },
  },
  {
    title: 'a developer and an admin check Operators of much YAML',
    run: async (target) => {
      const tries = [{ what: 'a manifest', inputs: [['manifest', yamlOf(255 * KIB)]], statuses: [422, 403] }] as const;
      return (await tryAll(target, 'developer', '/operators/new', tries)) + (await tryAll(target, 'admin', '/operators/new', tries));
    },
  },
];

async function tryAll(target: Target, person: PersonName, path: string, tries: readonly Try[]): Promise<number> {
  for (const { what, inputs, statuses, says } of tries) {
    const body = formOf([['environment', ATTACKED], ['name', INSTANCE], ...inputs]);
    const ask = async (): Promise<Reply> => {
      const reply = await target.call(person, path, { method: 'POST', body });
      assert.ok(statuses.includes(reply.status), `${what}: ${reply.status} ${reply.text.slice(0, 200)}`);
      if (says !== undefined) assert.match(reply.text, says, what);
      return reply;
    };
    await assertHeld(target, { what, ask, sent: body.toString().length });
  }
  return tries.length;
}

interface Held {
  readonly what: string;
  readonly ask: () => Promise<Reply>;
  /** Characters. */
  readonly sent: number;
}

/** Nobody else waits, and an answer does not multiply what was sent. */
async function assertHeld(target: Target, { what, ask, sent }: Held): Promise<void> {
  const timed = async (): Promise<{ readonly ms: number; readonly text: string }> => {
    const began = performance.now();
    const { text } = await ask();
    return { ms: performance.now() - began, text };
  };
  const { workMs, answer } = await shortestOfTries(target, 'quick', timed);
  assert.ok(!isTooLong(workMs), `${what} held the event loop for ${workMs.toFixed(0)} ms`);
  assert.ok(answer.ms < 10_000, `${what} took ${answer.ms.toFixed(0)} ms`);
  assert.ok(answer.text.length < 5 * sent + 4 * MIB, `${what} was answered with ${answer.text.length} characters`);
}

function multiplied(): readonly Try[] {
  const nested = (rows: number): Inputs => [
    ['n.spec.users', String(rows)],
    ...range(rows).map((row) => [`n.spec.users[${row}].permissions`, '2000'] as const),
  ];
  const beside = ['users', 'tolerations', 'parameters', 'labels', 'exposure.annotations'].map(
    (name) => [`n.spec.${name}`, '2000'] as const,
  );
  const says = /more than 10,000 rows/;
  return [
    { what: 'eleven KiB', inputs: nested(300), statuses: [413], says: /spec\.users\[4\]\.permissions/ },
    { what: 'thirty-nine KiB', inputs: nested(1000), statuses: [413], says },
    { what: 'rows beside each other', inputs: [...beside, ...nested(5).slice(1)], statuses: [413], says },
    { what: 'rows of a part as YAML', inputs: [...nested(300), ['_op', 'yaml:spec.users']], statuses: [413], says },
    { what: 'rows of the whole form as YAML', inputs: [...nested(300), ['_op', 'yaml:']], statuses: [413], says },
    { what: 'rows for a file', inputs: [...nested(300), ['_do', 'download']], statuses: [413], says },
    { what: 'rows for a saved configuration', inputs: [...nested(300), ['_do', 'keep']], statuses: [413], says },
    { what: 'one more row', inputs: [...nested(300), ['_op', 'add:spec.users']], statuses: [413], says },
    { what: 'the same count many times', inputs: range(5000).map(() => ['n.spec.users', '2000'] as const), statuses: [200, 422] },
    { what: 'the longest lists', inputs: beside.slice(0, 2), statuses: [200, 422] },
  ];
}

function odd(): readonly Try[] {
  const counts = ['-1', '1e9', '99999', '9999', 'NaN', '0x7d0', ' 5', '5.5', ''];
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
  return [
    ...counts.map((count) => ({ what: `the count ${count}`, inputs: [['n.spec.users', count]] as const, statuses: [200, 422] })),
    ...names.map((name) => ({
      what: `the key ${name}`,
      inputs: [
        ['n.spec.labels', '1'],
        ['k.spec.labels[0]', name],
        ['v.spec.labels[0]', 'x'],
        [`v.spec.${name}`, 'x'],
        [`v.spec.${name}.polluted`, 'x'],
        [`n.spec.${name}`, '2000'],
        [`y.spec.${name}`, '{"__proto__": {"polluted": true}}'],
        [`_op`, `add:spec.${name}`],
      ] as const,
      statuses: [200, 422],
    })),
    { what: 'branches', inputs: range(2000).map((row) => [`b.spec.maxUnavailable${row}`, '99'] as const), statuses: [200, 422] },
    { what: 'deep names', inputs: range(500).map((row) => [`v.spec${'[0]'.repeat(600)}[${row}]`, 'x'] as const), statuses: [200, 422] },
    { what: 'long keys', inputs: range(50).map((row) => [`k.spec.labels[${row}]`, 'k'.repeat(20_000)] as const), statuses: [200, 422] },
    {
      what: 'words of a search',
      inputs: [
        ['_op', 'search'],
        ['_q', 'a '.repeat(200_000)],
      ],
      statuses: [200],
    },
  ];
}

function manyInputs(): readonly Try[] {
  const most = 9_900;
  const text = 'x'.repeat(400);
  const rows = (name: string, inputs: (row: number) => Inputs, count = 2000): Inputs => [
    [`n.spec.${name}`, String(count)],
    ...range(count).flatMap(inputs),
  ];
  const users = rows('users', (row) => [
    [`v.spec.users[${row}].name`, text],
    [`v.spec.users[${row}].keyPrefix`, text],
    [`n.spec.users[${row}].permissions`, '1'],
    [`v.spec.users[${row}].permissions[0]`, 'read'],
  ]);
  const labels = rows('labels', (row) => [
    [`k.spec.labels[${row}]`, `key-${row}`],
    [`v.spec.labels[${row}]`, text],
  ]);
  return [
    { what: 'users', inputs: users, statuses: [200, 422] },
    { what: 'users, as YAML', inputs: [...users, ['_op', 'yaml:']], statuses: [200] },
    { what: 'users, turned to their last page', inputs: [...users, ['_op', 'rows:spec.users:999']], statuses: [200] },
    { what: 'labels', inputs: labels, statuses: [200, 422] },
    { what: 'labels of one key', inputs: rows('labels', (row) => [[`k.spec.labels[${row}]`, text]]), statuses: [422] },
    { what: 'inputs of nobody', inputs: range(most).map((row) => [`v.spec.x${row}`, text] as const), statuses: [200, 422] },
    { what: 'one input many times', inputs: range(most).map(() => ['v.spec.memory', text] as const), statuses: [200, 422] },
    {
      what: 'choices of lists',
      inputs: range(most).map((row) => [`q.spec.users[${row}].name`, 'Kind/name'] as const),
      statuses: [200, 422],
    },
    {
      what: 'new Secrets',
      inputs: range(most / 2).flatMap((row) => [
        [`m.spec.users[${row}].name`, 'type'] as const,
        [`w.spec.users[${row}].name`, 'x'] as const,
      ]),
      statuses: [200, 422],
    },
    { what: 'too many inputs', inputs: range(10_001).map((row) => [`v.spec.x${row}`, ''] as const), statuses: [413] },
    { what: 'too many bytes', inputs: [['v.spec.memory', 'x'.repeat(6 * MIB)]], statuses: [413] },
    { what: 'one value of five megabytes', inputs: [['v.spec.memory', 'x'.repeat(5 * MIB - KIB)]], statuses: [200, 422] },
  ];
}

function muchYaml(): readonly Try[] {
  const yaml = yamlOf(255 * KIB);
  const bodies: Readonly<Record<string, string>> = {
    'as people write it': yaml,
    'in brackets': `a: [${'[1],'.repeat(64 * KIB)}1]`,
    'of comments alone': '#\n'.repeat(127 * KIB),
    'that cannot be read': `${yaml}\n: [}`,
    'that nests': `${'{a: '.repeat(20_000)}1${'}'.repeat(20_000)}`,
    'of numbers': `a:\n${'- 12345678901234567890\n'.repeat(10_000)}`,
    'of a whole resource': `apiVersion: samples.chandlery.dev/v1\nkind: Cache\nmetadata: {name: a}\nspec:\n${yaml.replaceAll(/^/gm, '  ').slice(0, 200 * KIB)}`,
  };
  const all: readonly (readonly [string, string])[] = [
    ['_do', 'review'],
    ['_op', 'fields:'],
    ['_op', 'skeleton:'],
    ['_do', 'download'],
    ['_do', 'keep'],
  ];
  return [
    ...Object.entries(bodies).map(([what, text]) => ({
      what: `YAML ${what}`,
      inputs: [['y.', text]] as const,
      statuses: [200, 413, 422],
    })),
    ...all.map((button) => ({ what: `YAML and ${button.join(' ')}`, inputs: [['y.', yaml], button] as const, statuses: [200, 422] })),
    {
      what: 'YAML and the YAML before it',
      inputs: [
        ['c.', yaml],
        ['_op', 'yaml:'],
      ],
      statuses: [200],
    },
    {
      what: 'YAML of many fields',
      inputs: [['n.spec.users', '30'], ...range(30).map((row) => [`y.spec.users[${row}]`, yaml.slice(0, 100 * KIB)] as const)],
      statuses: [422],
    },
  ];
}

function formOf(inputs: Inputs): URLSearchParams {
  return new URLSearchParams(inputs.map(([name, value]): [string, string] => [name, value]));
}

function links(): readonly URLSearchParams[] {
  const value = 'v.spec.';
  return [
    new URLSearchParams({ [`${value}users`]: `[${'{},'.repeat(1500)}{}]` }),
    formOf(range(300).map((row) => [`${value}users[${row}].name`, 'a'])),
    formOf(range(300).map((row) => [`${value}labels.k${row}`, 'a'])),
    new URLSearchParams({ [`${value}users[999999999].name`]: 'a', [`${value}__proto__.polluted`]: 'a' }),
    new URLSearchParams({
      [`${value}parameters`]: `{${range(400)
        .map((row) => `k${row}: v`)
        .join(', ')}}`,
    }),
  ];
}

function liveSpec(): object {
  return {
    memory: '128Mi',
    parameters: Object.fromEntries(range(50).map((row) => [`parameter-${row}`, 'x'.repeat(50)])),
    users: range(10).map((row) => ({ name: `user-${row}`, keyPrefix: 'x' })),
  };
}

function changes(): readonly Try[] {
  const statuses = [200, 303, 409, 422];
  const origins = range(2000).map((row) => [`o.spec.users[${row}]`, '0'] as const);
  const digests = JSON.stringify({ 'spec.users': range(100_000).map(() => 'abc') });
  const seen = JSON.stringify(Object.fromEntries(range(100_000).map((row) => [`k${row}`, 'abc'])));
  return [
    { what: 'frozen fields', inputs: [...range(2000).map(() => ['frozen', 'spec'] as const), ['_op', 'search']], statuses },
    { what: 'one live row many times', inputs: [['n.spec.users', '2000'], ...origins], statuses },
    {
      what: 'rows of old',
      inputs: [
        ['rows', digests],
        ['_op', 'search'],
      ],
      statuses,
    },
    {
      what: 'leaves of old',
      inputs: [
        ['seen', seen],
        ['n.spec.users', '0'],
      ],
      statuses,
    },
    { what: 'YAML over live values', inputs: [['y.', yamlOf(255 * KIB)]], statuses },
    {
      what: 'rows within rows',
      inputs: [['n.spec.users', '300'], ...range(300).map((row) => [`n.spec.users[${row}].permissions`, '2000'] as const)],
      statuses: [413],
    },
  ];
}

function yamlOf(characters: number): string {
  let text = '';
  for (let row = 0; text.length < characters - 100; row += 1)
    text += `# comment ${row}\nkey${row}:\n  name: value ${row}\n  list: [a, b, ${row}]\n`;
  return text;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, row) => row);
}
