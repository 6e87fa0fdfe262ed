import * as fc from 'fast-check';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import type { Json, JsonObject } from '../../src/domain/kubernetes/resource.ts';

/** A kind with the values that people give its instances, most of which the api-server takes. */
export interface FidelityKind {
  readonly kind: string;
  readonly plural: string;
  /** The structural schema of `spec`. */
  readonly schema: JsonObject;
  /** What the catalogue starts instances with, laid out like `spec`. */
  readonly defaults: JsonObject;
  readonly values: fc.Arbitrary<JsonObject>;
}

const text = { type: 'string' };
const int = { type: 'integer' };
const quantity = { anyOf: [int, text], 'x-kubernetes-int-or-string': true, pattern: '^([0-9.]+)([eEinumkKMGTP]*)$' };
const any = { 'x-kubernetes-preserve-unknown-fields': true };

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more };
}

const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '',
    ' ',
    'null',
    'true',
    '5',
    '"5"',
    'on',
    '1:30',
    '0x10',
    '1e3',
    '~',
    '- a',
    'a: b',
    '<b>',
    "it's $(id)",
    '#',
    'größe ☂',
  ),
  fc.constantFrom('two\nlines', 'ends\n', '\n', '\ttab', 'a'.repeat(300), '2001-01-01', '=', '!x', '&x', '*x', '%', '`', '👩‍👩‍👧'),
);
const keys = fc.constantFrom(
  'a.b/c',
  'x.example.com/y',
  'plain',
  'with space',
  '0',
  'größe',
  '[0]',
  'it"s',
  'constructor',
  '-',
  'true',
  'a\\b',
);
const whole = fc.oneof(fc.constantFrom(0, -1, 1, 2 ** 31, Number.MAX_SAFE_INTEGER), fc.integer());
const json = fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

/** An object some of whose members are there. */
function some(members: Readonly<Record<string, fc.Arbitrary<Json>>>, required: readonly string[] = []): fc.Arbitrary<JsonObject> {
  return fc.record(members, { requiredKeys: [...required], noNullPrototype: true });
}

function mapOf(value: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.dictionary(keys, value, { maxKeys: 3, noNullPrototype: true });
}

function listOf(item: fc.Arbitrary<Json>, maxLength = 4): fc.Arbitrary<Json> {
  return fc.array(item, { maxLength });
}

/** Single values, defaults of the api-server and of the catalogue, nothing, null and empty texts. */
const scalars: FidelityKind = {
  kind: 'Scalar',
  plural: 'scalars',
  schema: object({
    count: { ...int, default: 3 },
    ratio: { type: 'number' },
    on: { type: 'boolean', default: true },
    note: { ...text, default: 'x' },
    nick: { ...text, nullable: true },
    adminPassword: text,
    alias: { ...text, nullable: true, default: 'y' },
    size: { ...text, enum: ['small', 'large', ''] },
    memory: quantity,
    port: { anyOf: [int, text], 'x-kubernetes-int-or-string': true },
    nested: object({ deep: object({ a: { ...int, default: 1 }, b: text }, { default: {} }), c: { ...text, nullable: true } }),
  }),
  defaults: { nick: 'cat', nested: { c: 'catalogue' } },
  values: some({
    count: whole,
    ratio: fc.constantFrom(0, 0.1, -2.5, 1e-7, 3),
    on: fc.boolean(),
    note: words,
    adminPassword: words,
    nick: fc.oneof(words, fc.constant(null)),
    alias: fc.oneof(words, fc.constant(null)),
    size: fc.constantFrom('small', 'large', ''),
    memory: fc.constantFrom('10Gi', '0.5', 2, '1e3'),
    port: fc.oneof(fc.constantFrom(0, 80, '80', 'http'), words),
    nested: some({ deep: some({ a: fc.integer(), b: words }), c: fc.constantFrom(null, '', 'mine') }),
  }),
};

/** Lists and maps of everything. */
const rows: FidelityKind = {
  kind: 'Row',
  plural: 'rows',
  schema: object({
    labels: { type: 'object', additionalProperties: text },
    tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    numbers: { type: 'array', items: int },
    matrix: { type: 'array', items: { type: 'array', items: int } },
    users: {
      type: 'array',
      items: object(
        {
          name: text,
          port: { ...int, default: 80 },
          password: text,
          admin: { type: 'boolean' },
          grants: { type: 'object', additionalProperties: text },
        },
        { required: ['name'] },
      ),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'port'],
    },
    steps: { type: 'array', items: object({ run: text, args: { type: 'array', items: text } }) },
    pools: {
      type: 'object',
      additionalProperties: object({ size: { ...int, default: 1 }, taints: { type: 'array', items: text } }),
    },
    sizes: { type: 'object', additionalProperties: quantity },
  }),
  defaults: {},
  values: some({
    labels: mapOf(words),
    tags: fc.uniqueArray(words, { maxLength: 4 }),
    numbers: fc.oneof(listOf(whole), fc.constant(Array.from({ length: 300 }, (_, index) => index)) as fc.Arbitrary<Json>),
    matrix: listOf(listOf(whole, 3), 3),
    users: fc.uniqueArray(some({ name: words, port: fc.nat(3), password: words, admin: fc.boolean(), grants: mapOf(words) }, ['name']), {
      maxLength: 4,
      selector: (user) => stringifyJson([user['name'], user['port'] ?? 80]),
    }),
    steps: listOf(some({ run: words, args: listOf(words) })),
    pools: mapOf(some({ size: whole, taints: listOf(words) })),
    sizes: mapOf(fc.constantFrom('1Gi', 5, '0.5')),
  }),
};

/** What the schema says little or nothing about, and whole objects within. */
const loose: FidelityKind = {
  kind: 'Loose',
  plural: 'looses',
  schema: object(
    {
      free: { type: 'object', ...any },
      anything: any,
      group: object({ known: text }, any),
      template: object(
        { spec: object({ image: text, args: { type: 'array', items: text } }) },
        { 'x-kubernetes-embedded-resource': true, ...any },
      ),
      maybe: { ...object({ a: text }), nullable: true },
      list: { type: 'array', nullable: true, items: { type: 'object', ...any } },
    },
    any,
  ),
  defaults: { group: { known: 'catalogue' } },
  values: some({
    free: fc.dictionary(keys, json, { maxKeys: 3, noNullPrototype: true }),
    anything: json,
    group: some({ known: words, other: json, 'x.y/z': json }),
    template: some(
      {
        apiVersion: fc.constant('v1'),
        kind: fc.constant('Pod'),
        metadata: some({ name: fc.constantFrom('a', 'b'), labels: fc.constant({ 'app.kubernetes.io/name': 'x' }) }),
        spec: some({ image: words, args: listOf(words) }),
      },
      ['apiVersion', 'kind'],
    ),
    maybe: fc.oneof(fc.constant(null), some({ a: words })),
    list: fc.oneof(fc.constant(null), listOf(fc.dictionary(keys, json, { maxKeys: 2, noNullPrototype: true }))),
    unknown: json,
  }),
};

const store = (more: JsonObject): JsonObject => ({ properties: more });

/** Alternatives, required groups, rules in CEL and fields that cannot be changed. */
const branches: FidelityKind = {
  kind: 'Branch',
  plural: 'branches',
  schema: object(
    {
      source: {
        ...object({
          git: object({ url: text, ref: text }, { required: ['url'] }),
          oci: object({ image: text, tag: { ...text, default: 'latest' } }, { required: ['image'] }),
          inline: { type: 'object', additionalProperties: text },
        }),
        oneOf: [{ required: ['git'] }, { required: ['oci'] }, { required: ['inline'] }],
      },
      store: {
        ...object({ type: { ...text, enum: ['s3', 'disk'] }, bucket: text, size: text, keep: { type: 'boolean' } }, { required: ['type'] }),
        anyOf: [store({ type: { enum: ['s3'] } }), store({ type: { enum: ['disk'] } })],
      },
      limits: object({ cpu: { ...text, default: '1' }, burst: object({ on: { type: 'boolean' } }) }),
      range: {
        ...object({ min: int, max: int }),
        'x-kubernetes-validations': [{ rule: '!has(self.min) || !has(self.max) || self.min <= self.max', message: 'min is above max' }],
      },
      zone: { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'the zone stays' }] },
      sites: { type: 'array', items: object({ name: text, limits: object({ cpu: { ...text, default: '2' } }) }, { required: ['limits'] }) },
    },
    { required: ['limits'] },
  ),
  defaults: { source: { git: { url: 'https://catalogue.example.com', ref: 'main' } } },
  values: some({
    source: fc.oneof(
      some({ git: some({ url: words, ref: words }, ['url']) }, ['git']),
      some({ oci: some({ image: words, tag: words }, ['image']) }, ['oci']),
      some({ inline: mapOf(words) }, ['inline']),
    ),
    store: some({ type: fc.constantFrom('s3', 'disk'), bucket: words, size: words, keep: fc.boolean() }, ['type']),
    limits: some({ cpu: words, burst: some({ on: fc.boolean() }) }),
    range: some({ min: fc.nat(9), max: fc.nat(9) }),
    zone: fc.constantFrom('a', 'b', ''),
    sites: listOf(some({ name: words, limits: some({ cpu: words }) })),
  }),
};

export const FIDELITY_KINDS: readonly FidelityKind[] = [scalars, rows, loose, branches];
