import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { join, resolve } from 'node:path';
import { before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { execa } from 'execa';
import * as fc from 'fast-check';
import { parse } from 'yaml';
import { isAppError } from '../../../src/domain/core/errors.ts';
import { parseManifest } from '../../../src/domain/kubernetes/manifest.ts';
import { writeManifest } from '../../../src/domain/kubernetes/write-manifest.ts';
import { loadTools } from '../../../src/embedded/cluster/tools.ts';
import { createHelm, type Helm } from '../../../src/helm/helm.ts';
import { chartFiles, packChart, temporaryFolder, writeFiles } from '../../support/charts.ts';
import { isRejectedByKubectl, normalized, readByKubectl } from '../../support/kubectl-reading.ts';
import { oddYaml } from '../../support/odd-yaml.ts';
import { TEST_SET } from '../../support/test-set.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const COUNTS = TEST_SET === 'all' ? { kubectl: 6000, helm: 300 } : { kubectl: 300, helm: 30 };
const { signal } = new AbortController();

/** On its way to any post-renderer, Helm writes texts anew and changes some, such as `! 5`; so what it prints comes from one, too. */
const PASS_THROUGH = JSON.stringify({
  apiVersion: 'v1',
  type: 'postrenderer/v1',
  name: 'same',
  version: '1.0.0',
  runtime: 'subprocess',
  runtimeConfig: { platformCommand: [{ command: '/bin/cat' }] },
});

/** Texts that were read differently once. */
const FOUND = [
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nitems: [{apiVersion: v1, kind: Secret, metadata: {name: b}}]\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nitems: [{metadata: {name: b}}]\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nitems:\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n# \u2028items: [{apiVersion: v1, kind: Secret, metadata: {name: b}}]\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n...\napiVersion: v1\nkind: Secret\nmetadata: {name: b}\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\r---\rapiVersion: v1\rkind: Secret\rmetadata: {name: b}\r',
  'apiVersion: v1\nkind: ConfigMap\n<<: {kind: Secret}\nmetadata: {name: a}\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: .5_0, b: 0xFFFFFFFFFFFFFFFFFF, c: 9007199254740993, d: 1e400, e: 08, 1.10: f}\n',
];

describe('manifests are read as kubectl and Helm read them, or rejected', () => {
  // New texts are tried in all tests; a usual run tries the same ones each time.
  const seed = TEST_SET === 'all' ? Number(process.env['CHANDLERY_TEST_SEED'] ?? randomInt(2 ** 31)) : 1;
  const texts = [...FOUND, ...fc.sample(oddYaml, { numRuns: COUNTS.kubectl, seed })];
  const ours = texts.map(readOrReject);
  let tools: Programs['tools'];
  let theirs: readonly (readonly string[] | undefined)[];
  before(async () => {
    const { helm, kubectl } = await loadTools(ROOT);
    assert.ok(kubectl !== undefined, 'kubectl is among the programs of the embedded cluster');
    tools = { helm, kubectl };
    theirs = await readByKubectl(tools.kubectl, texts);
  });
  const isSame = (index: number): boolean => ours[index] !== undefined && JSON.stringify(ours[index]) === JSON.stringify(theirs[index]);

  it('kubectl has the same objects of a text', async (t) => {
    const counts = { same: 0, 'rejected by us': 0, 'rejected by kubectl alone': 0 };
    for (const [index, text] of texts.entries()) {
      if (ours[index] === undefined) counts['rejected by us'] += 1;
      else if (isSame(index)) counts.same += 1;
      else if (theirs[index] === undefined || (await isRejectedByKubectl(tools.kubectl, text))) counts['rejected by kubectl alone'] += 1;
      else assert.deepEqual(ours[index], theirs[index], `seed ${seed}: ${JSON.stringify(text)}`);
    }
    t.diagnostic(`${texts.length} texts: ${JSON.stringify(counts)}`);
    assert.ok(counts.same > texts.length / 5, 'most texts have more than one thing wrong');
  });

  it('what is written is read alike by kubectl and by YAML 1.1 and 1.2', async () => {
    const objects = texts.flatMap((text, index) => (isSame(index) ? parseManifest(text) : []));
    const written = objects.map((object) => writeManifest([object]));
    const again = await readByKubectl(tools.kubectl, written);
    for (const [index, object] of objects.entries()) {
      const [text = '', expected] = [written[index], normalized(object)];
      for (const version of ['1.1', '1.2'] as const)
        assert.equal(normalized(parse(text, { version, intAsBigInt: true }) as unknown), normalized(asBigints(object)), text);
      assert.deepEqual(again[index], [expected], text);
    }
  });

  it('Helm has the same objects of what a chart renders', async (t) => {
    const folder = await temporaryFolder(t);
    const helm = await createHelm({ program: tools.helm, homeDir: join(folder, 'home'), maxChildren: 2, log: { debug: () => undefined } });
    await writeFiles(folder, { 'plugins/same/plugin.yaml': PASS_THROUGH });
    // Each time that Helm writes folded text anew, it may add empty lines.
    const readable = texts.filter((text, index) => isSame(index) && !/(?:^|[\s:,-])>[-+0-9]*\s*$/m.test(text));
    const counts = { same: 0, rejected: 0 };
    const compare = async (some: readonly string[]): Promise<void> => {
      const read = await readByBoth({ tools, helm, folder }, some);
      const isWhole = read !== undefined && isDeepStrictEqual(read.ours, read.theirs);
      if (isWhole) counts.same += some.length;
      else if (some.length > 1) {
        // The text that one of them rejects, or reads differently, is among them.
        await compare(some.slice(0, some.length / 2));
        await compare(some.slice(some.length / 2));
      } else if (read !== undefined) {
        assert.deepEqual(read.ours, read.theirs, `seed ${seed}: ${JSON.stringify(some[0])}`);
      } else counts.rejected += 1;
    };
    for (let first = 0; first < Math.min(readable.length, COUNTS.helm); first += 30) await compare(readable.slice(first, first + 30));
    t.diagnostic(`texts in charts: ${JSON.stringify(counts)}`);
    assert.ok(counts.same > counts.rejected, 'most texts are read by both');
  });
});

function readOrReject(text: string): readonly string[] | undefined {
  try {
    return parseManifest(text).map(normalized);
  } catch (error) {
    if (isAppError(error, 'InvalidInput')) return undefined;
    throw error;
  }
}

/** Whole numbers as the parser gives them that keeps all digits of all of them. */
function asBigints(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value) && !/e/.test(String(value))) return BigInt(String(value));
  if (Array.isArray(value)) return value.map(asBigints);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asBigints(member)]));
}

interface Programs {
  readonly tools: { readonly helm: string; readonly kubectl: string };
  readonly helm: Helm;
  readonly folder: string;
}

/** The objects of a chart with these texts, as we render it, and as kubectl reads what Helm prints; sorted. Undefined where one of them rejects a text. */
async function readByBoth(
  { tools, helm, folder }: Programs,
  texts: readonly string[],
): Promise<{ ours: string[]; theirs: string[] } | undefined> {
  const files = texts.flatMap((text, index) => [
    [`texts/${index}`, text],
    [`templates/${index}.yaml`, `{{ .Files.Get "texts/${index}" }}`],
  ]);
  const chartPath = join(folder, 'chart.tgz');
  await writeFiles(folder, {
    'chart.tgz': await packChart('chart', chartFiles('chart', '1.0.0', Object.fromEntries(files) as Record<string, string>)),
  });
  const input = { chartPath, release: 'demo', namespace: 'default', values: {}, kubeVersion: 'v1.36.3', apiVersions: [], isUpgrade: false };
  const printed = await execa(tools.helm, ['template', 'demo', chartPath, '--post-renderer', 'same'], {
    env: { HELM_CONFIG_HOME: folder, HELM_PLUGINS: join(folder, 'plugins') },
    reject: false,
  });
  if (printed.exitCode !== 0) return undefined;
  const [theirs] = await readByKubectl(tools.kubectl, [printed.stdout]);
  const ours = await helm.render(input, signal).catch((error: unknown) => {
    if (isAppError(error, 'HelmFailed')) return undefined;
    throw error;
  });
  if (theirs === undefined || ours === undefined) return undefined;
  return { ours: ours.map(normalized).toSorted(), theirs: theirs.toSorted() };
}
