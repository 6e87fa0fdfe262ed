import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { specOf } from '../../../../src/domain/kind/kind.ts';
import { CATALOG_SOURCE_KIND, type InventoryItem, type SourceFault } from '../../../../src/domain/source/catalog-source.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { determineSourceState, nextSourceAction } from '../../../../src/reconcile/source/state.ts';
import { located, parsePlainFile } from '../../../../src/domain/source/parse-file.ts';
import type { ParsedFolder, Stock } from '../../../../src/domain/source/stock.ts';
import { ENVIRONMENT } from '../../../../src/domain/kubernetes/resource-types.ts';
import { sortOut } from '../../../../src/reconcile/source/inventory.ts';

const FINALIZER = { finalizers: ['chandlery.dev/finalizer'] };
const GOOD = 'apiVersion: chandlery.dev/v1alpha1\nkind: Environment\nmetadata: {name: a}\n';

describe('what to do about a CatalogSource', () => {
  const cases: readonly { title: string; source: KubeObject; content: ParsedFolder; act: string }[] = [
    {
      title: 'one that is being deleted is finalized',
      source: source({ ...FINALIZER, deletionTimestamp: 'x' }),
      content: folder(GOOD),
      act: 'finalize',
    },
    {
      title: 'one that is deleted while suspended is finalized all the same',
      source: source({ deletionTimestamp: 'x' }, { suspend: true }),
      content: folder(GOOD),
      act: 'finalize',
    },
    { title: 'a suspended one rests', source: source({}, { suspend: true }), content: folder(GOOD), act: 'rest' },
    { title: 'a new one gets our finalizer first', source: source({}), content: folder(GOOD), act: 'add-finalizer' },
    {
      title: 'one whose folder is away is rejected',
      source: source(FINALIZER),
      content: { kind: 'Vanished', why: 'gone' },
      act: 'reject FolderMissing',
    },
    { title: 'one whose folder is empty is rejected', source: source(FINALIZER), content: folder(), act: 'reject FolderEmpty' },
    {
      title: 'one whose files hold only comments is rejected',
      source: source(FINALIZER),
      content: folder('# nothing\n'),
      act: 'reject FolderEmpty',
    },
    {
      title: 'one with nothing but faults is brought in step as far as it goes',
      source: source(FINALIZER),
      content: folder('kind: [\n'),
      act: 'synchronise',
    },
    { title: 'one with resources is brought in step', source: source(FINALIZER), content: folder(GOOD), act: 'synchronise' },
  ];
  for (const { title, source: object, content, act } of cases) {
    it(title, () => {
      const planned = nextSourceAction(
        determineSourceState(object, specOf(CATALOG_SOURCE_KIND, object), { folder: content, kindOf: () => ENVIRONMENT }),
      );
      assert.equal(planned.kind === 'reject' ? `reject ${planned.reason}` : planned.kind, act);
    });
  }
});

describe('what is gone from a folder', () => {
  const inventory = [item('a', 'a.yaml'), item('b', 'b.yaml'), item('c', 'b.yaml')];
  const stock = (named: readonly string[]): Stock => ({
    candidates: [],
    waiting: [],
    faults: [],
    named: new Set(named),
    revision: '',
    files: 1,
  });
  const cases: readonly {
    title: string;
    named: string[];
    faulty: Partial<SourceFault>[];
    claims?: string[];
    prune: boolean;
    gone: string[];
    kept: string[];
  }[] = [
    {
      title: 'a resource no document names is gone',
      named: ['Environment.chandlery.dev a', 'Environment.chandlery.dev b'],
      faulty: [],
      prune: true,
      gone: ['c'],
      kept: ['a', 'b'],
    },
    {
      title: 'nothing of a file with a fault is gone',
      named: ['Environment.chandlery.dev a'],
      faulty: [{ file: 'b.yaml' }],
      prune: true,
      gone: [],
      kept: ['a', 'b', 'c'],
    },
    {
      title: 'a fault in one file does not hold what left another',
      named: ['Environment.chandlery.dev b', 'Environment.chandlery.dev c'],
      faulty: [{ file: 'b.yaml' }],
      prune: true,
      gone: ['a'],
      kept: ['b', 'c'],
    },
    {
      title: 'what another source has now is gone although a document in its file has a fault',
      named: ['Environment.chandlery.dev a'],
      faulty: [{ file: 'b.yaml', resource: 'Environment d' }],
      claims: ['Environment.chandlery.dev b'],
      prune: true,
      gone: ['b'],
      kept: ['a', 'c'],
    },
    {
      title: 'what another source has now stays while its file cannot be read',
      named: ['Environment.chandlery.dev a'],
      faulty: [{ file: 'b.yaml' }],
      claims: ['Environment.chandlery.dev b'],
      prune: true,
      gone: [],
      kept: ['a', 'b', 'c'],
    },
    {
      title: 'a source that does not prune gives away what another one has now',
      named: ['Environment.chandlery.dev a'],
      faulty: [],
      claims: ['Environment.chandlery.dev b'],
      prune: false,
      gone: ['b'],
      kept: ['a'],
    },
    {
      title: 'a source that does not prune forgets what left',
      named: ['Environment.chandlery.dev a'],
      faulty: [],
      prune: false,
      gone: [],
      kept: ['a'],
    },
  ];
  for (const { title, named, faulty, claims = [], prune, gone, kept } of cases) {
    it(title, () => {
      const faults = faulty.map((fault) => ({ file: '', line: 1, column: 1, message: 'x', ...fault }));
      const sorted = sortOut(inventory, { stock: stock(named), faults, applied: [], prune, claims: new Set(claims) });
      assert.deepEqual({ gone: sorted.gone.map(({ name }) => name), kept: sorted.kept.map(({ name }) => name) }, { gone, kept });
    });
  }
});

function source(metadata: Partial<KubeObject['metadata']>, spec: object = {}): KubeObject {
  return {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: 'catalog', ...metadata },
    spec: { folder: { path: '/x' }, ...spec },
  };
}

function folder(...texts: readonly string[]): ParsedFolder {
  return {
    kind: 'Read',
    files: texts.map((text, index) => located(parsePlainFile({ file: `${index}.yaml`, text }))),
    faults: [],
    revision: 'sha256:0',
  };
}

function item(name: string, file: string): InventoryItem {
  return { file, apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', name };
}
