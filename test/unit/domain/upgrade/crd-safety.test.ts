import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareCrds } from '../../../../src/domain/upgrade/crd-safety/compare-crds.ts';
import { crd, int, object, text, withSpec, type Schema } from '../../../support/sample-crds.ts';

describe('a new schema for a field', () => {
  const cases: readonly { title: string; live: Schema; candidate: Schema; finds: readonly string[] }[] = [
    { title: 'that stays', live: text, candidate: text, finds: [] },
    { title: 'that only gets a description and a default', live: text, candidate: { ...text, description: 'a', default: 'b' }, finds: [] },
    { title: 'that changes its type', live: text, candidate: int, finds: ['v1 spec.a: the type is integer now; it was string'] },
    { title: 'that widens from integer to number', live: int, candidate: { type: 'number' }, finds: [] },
    {
      title: 'that narrows from number to integer',
      live: { type: 'number' },
      candidate: int,
      finds: ['v1 spec.a: the type is integer now; it was number'],
    },
    { title: 'that takes texts beside integers now', live: int, candidate: { 'x-kubernetes-int-or-string': true }, finds: [] },
    {
      title: 'that took anything and takes texts now',
      live: { 'x-kubernetes-preserve-unknown-fields': true },
      candidate: text,
      finds: ['v1 spec.a: the type is string now; anything was allowed'],
    },
    {
      title: 'that loses a value of its enum',
      live: { ...text, enum: ['x', 'y'] },
      candidate: { ...text, enum: ['x'] },
      finds: ['v1 spec.a: "y" is not allowed any more'],
    },
    { title: 'that gains a value of its enum', live: { ...text, enum: ['x'] }, candidate: { ...text, enum: ['y', 'x'] }, finds: [] },
    { title: 'that gets an enum', live: text, candidate: { ...text, enum: ['x'] }, finds: ['v1 spec.a: only "x" are allowed now'] },
    { title: 'that loses its enum', live: { ...text, enum: ['x'] }, candidate: text, finds: [] },
    {
      title: 'with a higher minimum',
      live: { ...int, minimum: 1 },
      candidate: { ...int, minimum: 2 },
      finds: ['v1 spec.a: the minimum rises from 1 to 2'],
    },
    { title: 'with a lower minimum', live: { ...int, minimum: 2 }, candidate: { ...int, minimum: 1 }, finds: [] },
    {
      title: 'with a minimum where there was none',
      live: int,
      candidate: { ...int, minimum: 1 },
      finds: ['v1 spec.a: there is a minimum now: 1'],
    },
    {
      title: 'with a lower maximum',
      live: { ...int, maximum: 9 },
      candidate: { ...int, maximum: 3 },
      finds: ['v1 spec.a: the maximum falls from 9 to 3'],
    },
    {
      title: 'whose minimum itself is not allowed any more',
      live: { ...int, minimum: 1 },
      candidate: { ...int, minimum: 1, exclusiveMinimum: true },
      finds: ['v1 spec.a: the bound itself is not allowed any more (exclusiveMinimum)'],
    },
    {
      title: 'with a longer shortest length',
      live: { ...text, minLength: 1 },
      candidate: { ...text, minLength: 3 },
      finds: ['v1 spec.a: the shortest length rises from 1 to 3'],
    },
    {
      title: 'with a shorter longest length',
      live: { ...text, maxLength: 9 },
      candidate: { ...text, maxLength: 3 },
      finds: ['v1 spec.a: the longest length falls from 9 to 3'],
    },
    { title: 'with a pattern', live: text, candidate: { ...text, pattern: '^a' }, finds: ['v1 spec.a: it must match the pattern ^a now'] },
    { title: 'whose pattern goes', live: { ...text, pattern: '^a' }, candidate: text, finds: [] },
    {
      title: 'with a format',
      live: text,
      candidate: { ...text, format: 'date-time' },
      finds: ['v1 spec.a: it must have the format date-time now'],
    },
    { title: 'with a format that nobody checks', live: int, candidate: { ...int, format: 'int64' }, finds: [] },
    {
      title: 'that may not be null any more',
      live: { ...text, nullable: true },
      candidate: text,
      finds: ['v1 spec.a: null is not allowed any more'],
    },
    {
      title: 'with coarser steps',
      live: { ...int, multipleOf: 2 },
      candidate: { ...int, multipleOf: 4 },
      finds: ['v1 spec.a: only multiples of 4 are allowed now'],
    },
    { title: 'with finer steps', live: { ...int, multipleOf: 4 }, candidate: { ...int, multipleOf: 2 }, finds: [] },
    {
      title: 'whose list becomes a set',
      live: { type: 'array', items: text },
      candidate: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      finds: ['v1 spec.a: the list is a set now, so its entries must differ'],
    },
    {
      title: 'whose list may hold fewer items, of another type',
      live: { type: 'array', items: text },
      candidate: { type: 'array', items: int, maxItems: 3 },
      finds: ['v1 spec.a: there is a greatest number of items now: 3', 'v1 spec.a[]: the type is integer now; it was string'],
    },
    {
      title: 'that loses a member',
      live: object({ x: text, y: text }),
      candidate: object({ x: text }),
      finds: ['v1 spec.a.y: the field is removed, and its value is dropped'],
    },
    {
      title: 'that loses the name of a member but keeps what it does not know',
      live: object({ x: text }),
      candidate: object({}, { 'x-kubernetes-preserve-unknown-fields': true }),
      finds: [],
    },
    {
      title: 'that drops what it does not know now',
      live: object({}, { 'x-kubernetes-preserve-unknown-fields': true }),
      candidate: object({ x: text }),
      finds: ['v1 spec.a: fields that the schema does not name are dropped now'],
    },
    {
      title: 'that allowed any name and allows some now',
      live: { type: 'object', additionalProperties: text },
      candidate: object({ x: text }),
      finds: ['v1 spec.a: only the named members are allowed now; others are dropped'],
    },
    {
      title: 'whose members of any name change their type',
      live: { type: 'object', additionalProperties: text },
      candidate: { type: 'object', additionalProperties: int },
      finds: ['v1 spec.a[*]: the type is integer now; it was string'],
    },
    {
      title: 'that requires a new member',
      live: object({}),
      candidate: object({ x: text }, { required: ['x'] }),
      finds: ['v1 spec.a.x: it is required now'],
    },
    {
      title: 'that requires a new member with a default',
      live: object({}),
      candidate: object({ x: { ...text, default: 'y' } }, { required: ['x'] }),
      finds: [],
    },
    {
      title: 'whose required member loses its default',
      live: object({ x: { ...text, default: 'y' } }, { required: ['x'] }),
      candidate: object({ x: text }, { required: ['x'] }),
      finds: ['v1 spec.a.x: it is required now'],
    },
    {
      title: 'whose entries are distinguished by other keys',
      live: {
        type: 'array',
        items: object({ x: text, y: text }),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['x', 'y'],
      },
      candidate: {
        type: 'array',
        items: object({ x: text, y: text }),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['x'],
      },
      finds: ['v1 spec.a: the entries of the list are identified by x now; it was x, y'],
    },
    {
      title: 'whose list of named entries is atomic now',
      live: { type: 'array', items: object({ x: text }), 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['x'] },
      candidate: { type: 'array', items: object({ x: text }), 'x-kubernetes-list-type': 'atomic' },
      finds: [],
    },
    {
      title: 'whose list of named entries loses a member of each',
      live: { type: 'array', items: object({ x: text, y: text }) },
      candidate: { type: 'array', items: object({ x: text }) },
      finds: ['v1 spec.a[].y: the field is removed, and its value is dropped'],
    },
    {
      title: 'whose list of lists has another bound deep down',
      live: { type: 'array', items: { type: 'array', items: int } },
      candidate: { type: 'array', items: { type: 'array', items: { ...int, maximum: 3 } } },
      finds: ['v1 spec.a[][]: there is a maximum now: 3'],
    },
    {
      title: 'whose entries require a new member',
      live: { type: 'object', additionalProperties: object({ x: text }) },
      candidate: { type: 'object', additionalProperties: object({ x: text }, { required: ['x'] }) },
      finds: ['v1 spec.a[*].x: it is required now'],
    },
    {
      title: 'that must be a resource now',
      live: object({}, { 'x-kubernetes-preserve-unknown-fields': true }),
      candidate: object({}, { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-embedded-resource': true }),
      finds: ['v1 spec.a: it must be a whole resource now, with apiVersion and kind'],
    },
    {
      title: 'that is a resource no more',
      live: object({ x: text }, { 'x-kubernetes-embedded-resource': true }),
      candidate: object({ x: text }),
      finds: ['v1 spec.a: it is no resource any more, so apiVersion, kind and metadata are dropped unless the schema names them'],
    },
    { title: 'whose default is gone', live: { ...text, default: 'x' }, candidate: text, finds: [] },
    {
      title: 'that may hold 32 bits now',
      live: int,
      candidate: { ...int, format: 'int32' },
      finds: ['v1 spec.a: it must have the format int32 now'],
    },
    {
      title: 'that took texts and integers and takes texts',
      live: { 'x-kubernetes-int-or-string': true },
      candidate: text,
      finds: ['v1 spec.a: the type is string now; it was int-or-string'],
    },
    {
      title: 'that took anything and knows a name of late',
      live: object({}, { 'x-kubernetes-preserve-unknown-fields': true }),
      candidate: object({ x: int }, { 'x-kubernetes-preserve-unknown-fields': true }),
      finds: [],
    },
    {
      title: 'with conditions of late',
      live: object({ x: text }),
      candidate: object({ x: text }, { anyOf: [{ required: ['x'] }], not: {} }),
      finds: [],
    },
    { title: 'that gets a new optional member', live: object({}), candidate: object({ x: text }), finds: [] },
  ];
  for (const { title, live, candidate, finds } of cases) {
    it(`${title} is ${finds.length === 0 ? 'safe' : 'unsafe'}`, () => {
      const findings = compareCrds(crd({ schema: withSpec(live) }), crd({ schema: withSpec(candidate) }));
      assert.deepEqual(
        findings.filter(({ severity }) => severity !== 'Notice').map(({ path, message }) => `${path}: ${message}`),
        finds,
      );
    });
  }

  it('below status is only worth a notice', () => {
    const [live, candidate] = [{ status: object({ a: text }) }, { status: object({ a: int }) }].map((properties) =>
      crd({ schema: { type: 'object', properties } }),
    );
    assert.ok(live !== undefined && candidate !== undefined);
    assert.deepEqual(
      compareCrds(live, candidate).map(({ path, severity }) => [path, severity]),
      [['v1 status.a', 'Notice']],
    );
  });

  it('is worth a notice where stored values decide, or where only the meaning of leaving it out changes', () => {
    const keep = { 'x-kubernetes-preserve-unknown-fields': true };
    const notices: readonly (readonly [live: Schema, candidate: Schema, finds: readonly string[]])[] = [
      [{ ...text, default: 'x' }, text, ['v1 spec.a: its default is removed']],
      [{ ...text, default: 'x' }, { ...text, default: 'y' }, ['v1 spec.a: its default changes']],
      [object({}, keep), object({ x: int }, keep), ['v1 spec.a.x: it could hold anything, and is integer now']],
      [object({}), object({}, { oneOf: [{}] }), ['v1 spec.a: its conditions changed (oneOf)']],
      [{ 'x-kubernetes-int-or-string': true }, { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, text] }, []],
    ];
    for (const [live, candidate, finds] of notices) {
      const found = compareCrds(crd({ schema: withSpec(live) }), crd({ schema: withSpec(candidate) }));
      assert.deepEqual(
        found.map(({ path, message }) => `${path}: ${message}`),
        finds,
      );
      assert.ok(found.every(({ severity }) => severity === 'Notice'));
    }
  });

  it('with a new rule in CEL is worth a notice that holds the rule’s message', () => {
    const rules = { 'x-kubernetes-validations': [{ rule: 'self > 1', message: 'must be more than one' }] };
    assert.deepEqual(compareCrds(crd({ schema: withSpec(int) }), crd({ schema: withSpec({ ...int, ...rules }) })), [
      { path: 'v1 spec.a', message: 'there is a new rule: must be more than one', severity: 'Notice' },
    ]);
  });
});
