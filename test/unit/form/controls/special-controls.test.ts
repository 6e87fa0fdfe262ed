import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { advise, checkScalar, readScalar, writeScalar } from '../../../../src/form/controls/scalar.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { isScalar, type FormNode, type ScalarNode } from '../../../../src/form/model/form-node.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { hintOf } from '../../../../src/form/view/hints.ts';
import { views } from '../submit.ts';

const NOW = new Date('2026-01-31T12:00:00Z');
const text: JsonObject = { type: 'string' };
const whole: JsonObject = { type: 'integer' };
const mixed: JsonObject = { 'x-kubernetes-int-or-string': true };
const SHARE = '^([0-9]|[1-9][0-9]|100)%$';

const kinds: readonly (readonly [world: string, key: string, schema: JsonObject, kind: FormNode['kind']])[] = [
  ['a whole number called port', 'nodePort', whole, 'port'],
  ['a port in capitals', 'HTTPPort', whole, 'port'],
  ['the format port', 'x', { ...whole, format: 'port' }, 'port'],
  [
    'the limits of ports in words of ports',
    'listen',
    { ...whole, minimum: 0, maximum: 65_535, description: 'The port to listen on' },
    'port',
  ],
  ['the same limits without a word of ports', 'weight', { ...whole, minimum: 0, maximum: 65_535 }, 'integer'],
  ['a word that ends like port', 'viewport', whole, 'integer'],
  ['a port with limits that no port has', 'port', { ...whole, maximum: 100_000 }, 'integer'],
  ['a port as text', 'port', text, 'text'],
  ['a number or the name of a port', 'targetPort', mixed, 'port'],
  ['a number or a share, by its pattern', 'x', { ...mixed, pattern: SHARE }, 'percentage'],
  ['a number or a share, by its name', 'maxSurge', mixed, 'percentage'],
  ['a number or a share, by its words', 'x', { ...mixed, description: 'A number or a percentage.' }, 'percentage'],
  ['a share alone', 'x', { ...text, pattern: SHARE }, 'percentage'],
  ['a pattern of anything', 'maxSurge', { ...mixed, pattern: '.*' }, 'int-or-string'],
  [
    'a quantity, also where it could be more',
    'x',
    { ...mixed, pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$' },
    'quantity',
  ],
  ['a host', 'db_host', text, 'host'],
  ['a host name by its format', 'x', { ...text, format: 'hostname' }, 'host'],
  ['an address by its format', 'x', { ...text, format: 'ipv6' }, 'host'],
  ['a host that is a template', 'host', { ...text, description: 'A template of the host' }, 'text'],
  ['a host with a pattern that hosts do not have', 'host', { ...text, pattern: '^/.*$' }, 'text'],
  ['a host with a default that is none', 'host', { ...text, default: 'http://localhost' }, 'text'],
  ['a failure domain', 'failureDomain', text, 'text'],
  ['an address', 'baseURL', text, 'url'],
  ['an address by its format', 'x', { ...text, format: 'uri' }, 'url'],
  ['an address with a pattern that has no scheme', 'url', { ...text, pattern: '^[a-z]+$' }, 'text'],
  ['an address by its pattern', 'endpoint', { ...text, pattern: '^https?://[^ ]+$' }, 'url'],
  ['a schedule', 'schedule', text, 'cron'],
  ['a schedule of another name', 'logicalBackupSchedule', { ...text, pattern: '^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$' }, 'cron'],
  ['a schedule by its format', 'when', { ...text, format: 'cron' }, 'cron'],
  ['a schedule with a default that is none', 'schedule', { ...text, default: 'nightly' }, 'text'],
  ['a schedule with a pattern of its own', 'schedule', { ...text, pattern: '^(Mon|Tue):[0-9:]+$' }, 'text'],
  ['a schedule of calendars', 'schedule', { ...text, description: 'An RRULE' }, 'text'],
];

describe('a control of its own', () => {
  for (const [world, key, schema, kind] of kinds) it(`is for ${world}: ${kind}`, () => assert.equal(nodeOf(schema, key).kind, kind));

  it('is for each row of a list that is called so', () => {
    for (const [key, kind] of [
      ['hosts', 'host'],
      ['ports', 'port'],
      ['urls', 'url'],
    ] as const) {
      const { root } = buildForm({
        schema: { properties: { [key]: { type: 'array', items: kind === 'port' ? whole : text } } },
        root: 'spec',
        curated: [],
        mode: 'create',
      });
      const list = root.kind === 'group' ? root.children[0] : undefined;
      assert.equal(list?.kind === 'list' ? list.item.kind : '', kind);
    }
  });
});

const values: readonly (readonly [world: string, key: string, schema: JsonObject, typed: string, value: Json, fault?: string])[] = [
  ['a port', 'port', whole, '8080', 8080],
  ['a port beyond all', 'port', whole, '70000', 70_000, 'Enter 65535 or less'],
  ['none, which many apps take for off or any', 'port', whole, '0', 0],
  ['a port below all, by its format', 'x', { ...whole, format: 'port' }, '0', 0, 'Enter 1 or more'],
  ['limits of the schema', 'nodePort', { ...whole, minimum: 30_000 }, '8080', 8080, 'Enter 30000 or more'],
  ['the name of a port', 'targetPort', mixed, 'http', 'http'],
  ['a share', 'maxSurge', mixed, '25%', '25%'],
  ['a number where a share could be', 'maxSurge', mixed, '25', 25],
  ['digits that are meant as text', 'maxSurge', mixed, '"25"', '25'],
  [
    'a share that its pattern rejects',
    'x',
    { ...mixed, pattern: SHARE },
    '250%',
    '250%',
    'Enter a share such as 25%, or a number where that is taken',
  ],
  [
    'no schedule, where a pattern asks for one',
    'schedule',
    { ...text, pattern: '^([0-9*,/-]+ ){4}[0-9A-Za-z*,/-]+$' },
    'nightly',
    'nightly',
    'A schedule has five parts, minute, hour, day, month and weekday, such as 0 2 * * *; there is 1',
  ],
  [
    'a schedule with seconds, where a pattern takes none',
    'schedule',
    { ...text, pattern: '^([0-9*,/-]+ ){4}[0-9A-Za-z*,/-]+$' },
    '0 30 1 * * *',
    '0 30 1 * * *',
    'Leave the seconds out: write 30 1 * * *',
  ],
  ['any host', 'host', text, '{{ .host }}', '{{ .host }}'],
  ['no host, where only the name asks for one', 'host', text, 'https://x/y', 'https://x/y'],
  [
    'no host, where the schema asks for one',
    'x',
    { ...text, format: 'hostname' },
    'https://x/y',
    'https://x/y',
    'Enter a host name, such as db.example.com',
  ],
  ['an address of the other kind', 'x', { ...text, format: 'ipv4' }, '::1', '::1', 'Enter an IPv4 address, such as 10.0.0.1'],
  ['no address, where only the name asks for one', 'url', text, 'example.com', 'example.com'],
  [
    'no address, where the schema asks for one',
    'x',
    { ...text, format: 'uri' },
    'example.com',
    'example.com',
    'Enter an address with its scheme, such as https://example.com',
  ],
  ['no schedule, where only the name asks for one', 'schedule', text, 'nightly', 'nightly'],
  [
    'no schedule, where the schema asks for one',
    'x',
    { ...text, format: 'cron' },
    '60 * * * *',
    '60 * * * *',
    'This is no schedule: invalid value for minute: 60',
  ],
];

describe('what is typed into it', () => {
  for (const [world, key, schema, typed, value, fault] of values) {
    it(`is ${fault === undefined ? 'taken' : 'rejected'}: ${world}`, () => {
      const node = nodeOf(schema, key);
      const read = readScalar(node, typed);
      assert.deepEqual(read.value, value);
      assert.equal(checkScalar(node, read.value ?? null), fault);
      assert.equal(writeScalar(node, value), typed);
    });
  }
});

const six = { ...text, description: 'Includes an additional seconds specifier.' };
const advice: readonly (readonly [world: string, key: string, schema: JsonObject, value: string, says: string, warning: RegExp])[] = [
  ['a schedule', 'schedule', text, '0 2 * * 1', 'At 02:00, only on Monday', /^$/],
  ['no schedule', 'schedule', text, 'nightly', '', /five parts/],
  ['a day that never comes', 'schedule', text, '0 0 31 2 *', 'At 00:00, on day 31 of the month, only in February', /does not come within/],
  ['a schedule that begins whenever', 'schedule', text, '@every 5m', 'Every 5m, from when it begins', /^$/],
  ['seconds that many do not read', 'schedule', text, '0 0 2 * * *', 'At 02:00 every day', /many apps only read five/],
  ['seconds that are asked for', 'schedule', six, '0 0 2 * * *', 'At 02:00 every day', /^$/],
  ['seconds that are missing', 'schedule', six, '0 2 * * *', 'At 02:00 every day', /write 0 0 2 \* \* \*/],
  ['the seventh day of the month', 'schedule', text, '0 2 7 * *', 'At 02:00, on day 7 of the month', /^$/],
  ['the seventh day of the week', 'schedule', text, '0 2 * * 7', 'At 02:00, only on Sunday', /Not every app knows/],
  ['a host', 'host', text, 'db.example.com', '', /^$/],
  ['a wildcard', 'host', text, '*.example.com', '', /^$/],
  ['an address for a host', 'host', text, 'https://db.example.com/', '', /no scheme and no path/],
  ['words for a host', 'host', text, 'my database', '', /no host name/],
  ['a placeholder for a host', 'host', text, '${HOST}', '', /^$/],
  ['an address without scheme', 'url', text, 'example.com', '', /no scheme/],
  ['a port by a long name', 'targetPort', mixed, 'a-very-long-name-of-a-port', '', /no name of a port/],
  ['a share without its sign', 'maxSurge', mixed, 'half', '', /no share/],
];

describe('what is said of it', () => {
  for (const [world, key, schema, value, says, warning] of advice) {
    it(`fits ${world}`, () => {
      const reported = advise(nodeOf(schema, key), value, NOW);
      assert.equal(reported.says, says);
      assert.match(reported.warning, warning);
    });
  }

  it('shows in its hint what it takes', () => {
    assert.equal(hintOf(nodeOf(whole, 'port')), 'At most 65535.');
    assert.equal(hintOf(nodeOf(mixed, 'targetPort')), 'A number, or the name of a port. At most 65535.');
    assert.equal(hintOf(nodeOf(mixed, 'maxSurge')), 'A number, or a share such as 25%.');
    assert.equal(
      hintOf(nodeOf(six, 'schedule')),
      'Includes an additional seconds specifier. Six parts, seconds first, such as 0 0 2 * * * for 02:00 every day.',
    );
    assert.equal(hintOf(nodeOf({ ...text, pattern: '^https?://.+$' }, 'url')), 'Begins with http:// or https://.');
    assert.equal(
      hintOf(nodeOf({ ...text, pattern: '^(s3|gs)://.+$', description: 'Where it is.' }, 'url')),
      'Where it is. Begins with s3:// or gs://.',
    );
  });
});

function nodeOf(schema: JsonObject, key: string): ScalarNode {
  const { root } = buildForm({ schema: { properties: { [key]: schema } }, root: 'spec', curated: [], mode: 'create' });
  const node = root.kind === 'group' ? root.children[0] : undefined;
  assert.ok(node !== undefined && isScalar(node));
  return node;
}

describe('a choice', () => {
  const zones = Array.from({ length: 20 }, (_, index) => `zone-${index}`);

  it('keeps the type of each option, also where two read the same', () => {
    const options: Json[] = ['1', 1, true, 'true', '', 'plain', '"1"', 9007199254740993n, '9007199254740993'];
    const node = nodeOf({ enum: options }, 'x');
    const texts = options.map((value) => writeScalar(node, value));
    assert.equal(new Set(texts).size, options.length);
    for (const [index, text] of texts.entries()) assert.equal(readScalar(node, text ?? '').value, options[index]);
  });

  it('of many is found whatever its capitals, and what is near is named', () => {
    const node = nodeOf({ enum: [...zones, 'Zone-1', 'UTC'] }, 'x');
    assert.equal(readScalar(node, ' utc ').value, 'UTC');
    assert.equal(readScalar(node, 'zone-1').value, 'zone-1');
    assert.equal(
      readScalar(node, 'ZONE-1').fault,
      '"ZONE-1" is not one of the 22 choices: did you mean zone-1, zone-10, zone-11, zone-12, zone-13?',
    );
    assert.equal(readScalar(node, 'Mars').fault, '"Mars" is not one of the 22 choices: choose one of the list');
  });

  it('of many is an input with its list, which rows share, and which is narrowed where it is very long', () => {
    const many = Array.from({ length: 150 }, (_, index) => `zone-${index}`);
    const schema: JsonObject = { properties: { zones: { type: 'array', items: { enum: many } }, zone: { enum: many, default: 'zone-3' } } };
    const model = buildForm({ schema, root: 'spec', curated: [], mode: 'create' });
    const fields = new URLSearchParams({ 'n.spec.zones': '2', 'v.spec.zones[0]': 'zone-3', 'v.spec.zone': 'e-14' });
    const html = views.render('parts/form', formView(model, { fields, base: {}, faults: [] }));
    assert.equal(html.match(/<datalist/g)?.length, 1);
    assert.equal(html.match(/list="f-spec-zones-0-choices"/g)?.length, 3);
    const { faults } = formToValues(model, fields, {});
    const rejected = views.render('parts/form', formView(model, { fields, base: {}, faults }));
    assert.match(rejected, /not one of the 150 choices: did you mean zone-14, zone-140/);
    assert.match(rejected, /11 choices with e-14 in them/);
  });
});

describe('a live value that breaks a limit', () => {
  const model = buildForm({ schema: { properties: { port: whole, note: text } }, root: 'spec', curated: [], mode: 'edit' });
  const read = (port: string) => formToValues(model, new URLSearchParams({ 'v.spec.port': port, 'v.spec.note': 'new' }), { port: 70_000 });

  it('is kept while nobody touches it, and rejected once it was changed', () => {
    const { values: kept, faults } = read('70000');
    assert.deepEqual([kept, faults], [{ port: 70_000, note: 'new' }, []]);
    assert.deepEqual(
      read('70001').faults.map(({ field }) => field),
      ['spec.port'],
    );
  });
});
