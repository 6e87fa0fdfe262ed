import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readFormSources } from '../../../../src/compose/form-sources.ts';
import { suggestedFields } from '../../../../src/domain/catalog/suggested-fields.ts';
import type { JsonObject, KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { formView } from '../../../../src/form/view/form-view.ts';
import { CRD_FOLDERS } from '../../../support/schemas.ts';

const text = { type: 'string' };
const many = (names: string): JsonObject => Object.fromEntries(names.split(' ').map((name) => [name, text]));
const POD = { type: 'object', properties: many('a b c d e f g h i') };
const SPEC: JsonObject = {
  ...many('engine mode owner version zone'),
  members: { type: 'integer' },
  disk: { type: 'object', properties: { size: text, class: text } },
  storage: { type: 'object', properties: { ...many('a b c d e f g h'), size: text } },
  quiet: { type: 'boolean', default: true },
  pod: POD,
};

interface Kind {
  readonly version?: JsonObject;
  readonly spec?: JsonObject;
  readonly root?: JsonObject;
  readonly readme?: string;
}

function suggested({ version = {}, spec = {}, root = {}, readme = '' }: Kind): readonly string[] {
  const schema = { openAPIV3Schema: { ...root, properties: { spec: { type: 'object', properties: SPEC, ...spec } } } };
  const crd: KubeObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'stores.a.example' },
    spec: { group: 'a.example', names: { kind: 'Store', plural: 'stores' }, versions: [{ name: 'v1', ...version, schema }] },
  };
  return suggestedFields(crd, 'v1', readme);
}

const columns = (...paths: readonly string[]): JsonObject => ({ additionalPrinterColumns: paths.map((jsonPath) => ({ jsonPath })) });
const FENCED = (kind: string): string =>
  `# Store\n\n\`\`\`yaml\napiVersion: a.example/v1\nkind: ${kind}\nspec: {zone: b, disk: {class: fast}}\n\`\`\`\n`;

const cases: Readonly<Record<string, readonly [Kind, readonly string[]]>> = {
  'what scales it, and what its columns show': [
    {
      version: {
        subresources: { scale: { specReplicasPath: '.spec.members' } },
        ...columns('.metadata.name', '.status.version', '.status.phase', '.spec.disk.size', '.spec.gone', '.spec.pod'),
      },
    },
    ['spec.members', 'spec.version', 'spec.disk.size'],
  ],
  'what an example in its schema sets': [
    { root: { example: { spec: { zone: 'a', mode: 'x', owner: 'me' } } } },
    ['spec.zone', 'spec.mode', 'spec.owner'],
  ],
  'what an example of its spec sets': [
    { spec: { example: { owner: 'me', engine: 'x', mode: 'x' } } },
    ['spec.owner', 'spec.engine', 'spec.mode'],
  ],
  'what the README of its chart sets, then names that everybody knows and defaults': [
    { readme: FENCED('Other') + FENCED('Store') },
    ['spec.zone', 'spec.disk.class', 'spec.version', 'spec.storage.size', 'spec.quiet'],
  ],
  'no broken README': [{ readme: FENCED('Store').replace('{zone: b', '{{zone: b') }, ['spec.version', 'spec.storage.size', 'spec.quiet']],
  'no more than nine, with what is required': [
    {
      spec: { required: ['mode', 'owner'], properties: { ...SPEC, ...many('f0 f1 f2 f3 f4 f5 f6 f7 f8 f9') } },
      version: columns(...Array.from({ length: 10 }, (_, n) => `.spec.f${n}`)),
    },
    ['f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6'].map((key) => `spec.${key}`),
  ],
};

for (const [world, [kind, fields]] of Object.entries(cases)) {
  test(`Where nobody picked fields of a kind, first stands ${world}`, () => assert.deepEqual(suggested(kind), fields));
}

test('Real kinds without a pick open with some fields in front, and never with many', async () => {
  const folders = [...CRD_FOLDERS, 'charts'];
  const files = folders.flatMap((folder) => globSync(['*.yaml', '*/crds/*.yaml'], { cwd: folder }).map((file) => join(folder, file)));
  const sources = (await Promise.all(files.map((file) => readFormSources(file, AbortSignal.timeout(60_000))))).flat();
  const inFront = sources.map(({ suggested: own = [], ...source }) => {
    const shown = (fields: readonly string[]): number => {
      const model = buildForm({ ...source, curated: [], suggested: fields, mode: 'create' });
      return formView(model, { fields: new URLSearchParams(), base: {}, faults: [] }).main.length;
    };
    return { title: source.title, before: shown([]), after: shown(own), most: own.length };
  });
  const empty = inFront.filter(({ after }) => after === 0).map(({ title }) => title);
  console.log(
    `${inFront.filter(({ before }) => before === 0).length} of ${inFront.length} opened with nothing in front, ${empty.length} do now`,
  );
  assert.deepEqual(
    empty.filter((title) => !title.startsWith('Issuer ')),
    [],
  );
  assert.ok(inFront.every(({ before, after, most }) => most <= 9 && after <= before + most));
});
