import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { formCommand, type FormReport } from '../../../src/compose/form-command.ts';

const CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.test.example}
spec:
  group: test.example
  names: {kind: Shop, plural: shops}
  scope: Namespaced
  versions:
    - {name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
    - name: v2
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [owner]
              properties:
                owner: {type: string, maxLength: 20, description: Whose shop it is}
                size: {type: string, enum: [small, large], default: small}
                password: {type: string, default: hunter2}
                extra: {type: object, x-kubernetes-preserve-unknown-fields: true}
                users:
                  type: array
                  items: {type: object, properties: {name: {type: string}}}
                labels: {type: object, additionalProperties: {type: string}}
`;

describe('chandlery form', () => {
  let folder: string;
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const reports = async (file: string): Promise<FormReport[]> =>
    JSON.parse(await formCommand(['-f', file, '-o', 'json'], AbortSignal.timeout(30_000))) as FormReport[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chandlery-form-test-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('prints each field of a kind, of the version that objects are stored in, and a line of coverage', async () => {
    const text = await formCommand(['--file', await write('crd.yaml', CRD)], AbortSignal.timeout(30_000));
    assert.match(text, /^# Shop test\.example\/v2$/m);
    assert.match(text, /^spec\.owner +text +required +- +required, maxLength=20$/m);
    assert.match(text, /^spec\.size +enum +curated +schema small +one of "small" "large"$/m);
    assert.match(text, /^spec\.extra +yaml +curated +- +free-form$/m);
    assert.match(text, /^spec\.users\[\*\]\.name +text/m);
    assert.match(text, /^8 leaves: 7 typed, 1 by YAML \(1 free-form\), 0 unreachable$/m);
  });

  it('names the control of what has a grammar of its own, and its default in words', async () => {
    const schema = {
      type: 'object',
      properties: {
        schedule: { type: 'string', default: '0 2 * * *' },
        host: { type: 'string' },
        baseURL: { type: 'string' },
        port: { type: 'integer' },
        maxSurge: { 'x-kubernetes-int-or-string': true },
        hosts: { type: 'array', items: { type: 'string' }, default: ['a.example', 'b.example'] },
        rows: {
          type: 'array',
          items: { type: 'object', properties: { name: { type: 'string' } } },
          default: [{ name: 'a' }, { name: 'b' }],
        },
      },
    };
    const text = await formCommand(['-f', await write('own.schema.json', JSON.stringify(schema))], AbortSignal.timeout(30_000));
    const lines: readonly (readonly [path: string, control: string])[] = [
      ['schedule', 'cron'],
      ['host', 'host'],
      ['baseURL', 'url'],
      ['port', 'port'],
      ['maxSurge', 'percentage'],
    ];
    for (const [path, control] of lines) assert.match(text, new RegExp(`^values\\.${path} +${control} `, 'm'));
    assert.match(text, /^values\.port .*maximum=65535$/m);
    assert.match(text, /^values\.hosts .*schema a\.example, b\.example$/m);
    assert.match(text, /^values\.rows .*schema 2 entries$/m);
  });

  it('does not print the default of a secret', async () => {
    assert.doesNotMatch(await formCommand(['-f', await write('crd.yaml', CRD), '-o', 'json'], AbortSignal.timeout(30_000)), /hunter2/);
  });

  it('reads a chart with a schema, whose values are the defaults, and the kinds that it brings', async () => {
    const chart = join(folder, 'shop');
    await mkdir(join(chart, 'crds'), { recursive: true });
    await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: shop\nversion: 1.0.0\n');
    await writeFile(join(chart, 'values.yaml'), 'replicas: 3\n');
    await writeFile(join(chart, 'values.schema.json'), '{"type":"object","properties":{"replicas":{"type":"integer"}}}');
    await writeFile(join(chart, 'crds', 'shop.yaml'), CRD);
    const [values, kind] = await reports(chart);
    assert.equal(values?.title, 'values of shop 1.0.0');
    assert.deepEqual(values.fields, [
      {
        path: 'values.replicas',
        control: 'integer',
        layer: 'curated',
        required: false,
        immutable: false,
        source: 'chart',
        fallback: 3,
        constraints: {},
        help: '',
      },
    ]);
    assert.equal(kind?.title, 'Shop test.example/v2');
  });

  it('reads a chart without a schema from its values, whose comments are the help', async () => {
    const chart = join(folder, 'bare');
    await mkdir(chart);
    await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: bare\nversion: 1.0.0\n');
    await writeFile(join(chart, 'values.yaml'), '# -- How many copies run\nreplicas: 3\nempty: {}\n');
    const [values] = await reports(chart);
    assert.deepEqual(
      values?.fields.map(({ path, control, help }) => [path, control, help]),
      [
        ['values.replicas', 'int-or-string', 'How many copies run'],
        ['values.empty', 'yaml', ''],
      ],
    );
    assert.deepEqual(values.coverage.unreachable, []);
  });

  it('reads a values schema as YAML', async () => {
    const [values] = await reports(await write('values.schema.yaml', 'type: object\nproperties: {a: {type: boolean}}\n'));
    assert.deepEqual(
      values?.fields.map(({ path, control }) => [path, control]),
      [['values.a', 'boolean']],
    );
  });

  for (const [title, name, text, message] of [
    ['a text that is not YAML', 'a.yaml', 'a: [', /a\.yaml: .*not YAML/],
    ['an object of another kind', 'b.yaml', 'kind: ConfigMap\n', /b\.yaml: it is neither/],
    ['an empty file', 'c.yaml', '', /c\.yaml: it is neither/],
  ] as const) {
    it(`rejects ${title}, naming the file`, async () => {
      await assert.rejects(formCommand(['-f', await write(name, text)], AbortSignal.timeout(30_000)), { code: 'InvalidInput', message });
    });
  }

  for (const [title, argv, message] of [
    ['no file', [], /name a file/],
    ['a file that does not exist', ['-f', '/nowhere.yaml'], /\/nowhere\.yaml: there is no such file/],
    ['an output that it does not know', ['-f', 'x', '-o', 'xml'], /"xml" is not one of/],
    ['an option that it does not know', ['--fiel', 'x'], /--fiel/],
  ] as const) {
    it(`rejects ${title} with a sentence that helps`, async () => {
      await assert.rejects(formCommand(argv, AbortSignal.timeout(30_000)), { name: 'AppError', message });
    });
  }
});
