import { versionForNew } from '../../domain/catalog/app-catalog.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { at, isObject, textAt } from '../../domain/core/read.ts';
import { compileFaults, type KindRules, rulesOfOperator } from '../../domain/health/custom-rules.ts';
import { tableOfKinds } from '../../domain/health/rule-table.ts';
import { healthOf } from '../../domain/health/rules/health-of.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { catalogField } from '../../domain/operator/kind/catalog-fields.ts';
import type { Ports } from '../ports.ts';
import { createHealthEvaluator } from './health-evaluator.ts';

/** What the health rules of an Operator say of samples. */
export interface RulesTest {
  /** A sentence for each kind with rules. */
  readonly results: readonly string[];
  readonly faults: readonly { readonly field: string; readonly message: string }[];
}

export interface RulesTestInput {
  readonly operator: KubeObject;
  /** Those that the Operator brings. */
  readonly crds: readonly KubeObject[];
  readonly signal: AbortSignal;
}

/** Tries the health rules of an Operator on the example of each kind and on some of the objects that are there, as far as the actor may read them. */
export async function testRules(
  ports: Pick<Ports, 'clusters'>,
  actor: Actor,
  { operator, crds, signal }: RulesTestInput,
): Promise<RulesTest> {
  const examples = new Map((catalogField.read(at(operator.spec, 'catalog'))?.kinds ?? []).map(({ kind, example }) => [kind, example]));
  const tests: RulesTest[] = [];
  for (const [kind, rules] of rulesOfOperator(operator)) {
    const crd = crds.find(({ spec }) => textAt(spec, 'names', 'kind') === kind);
    if (crd === undefined || compileFaults(rules.rules).length > 0) continue;
    const live = await liveObjects(ports, actor, { crd, signal });
    tests.push(await testKind(rules, { crd, example: exampleOf(crd, examples.get(kind)), live }));
  }
  return { results: tests.flatMap(({ results }) => results), faults: tests.flatMap(({ faults }) => faults) };
}

interface Samples {
  readonly crd: KubeObject;
  readonly example: KubeObject | undefined;
  readonly live: readonly KubeObject[];
}

async function testKind(rules: KindRules, { crd, example, live }: Samples): Promise<RulesTest> {
  const kind = textAt(crd.spec, 'names', 'kind') ?? '';
  const table = new Map([[`${textAt(crd.spec, 'group') ?? ''}/${kind}`, rules]]);
  const evaluator = createHealthEvaluator({ rules: () => tableOfKinds(table), idleMs: 0 });
  await evaluator.evaluate([...(example === undefined ? [] : [example]), ...live]);
  const own = example === undefined ? [] : [`the example is ${statusText(example)}`];
  const count = live.length === 0 ? [] : [`of ${live.length} existing ${live.length === 1 ? 'object' : 'objects'}, ${countText(live)}`];
  const said = [...own, ...count].join('; ');
  const samples = own.length + live.length === 0 ? 'no example and no objects to try them on' : said;
  return {
    results: [`Health rules for ${kind}: ${samples}`],
    faults: evaluator.faults().map(({ field, message }) => ({ field, message })),
  };
}

function statusText(object: KubeObject): string {
  const health = healthOf(object);
  return health === undefined ? 'without health' : `${health.status}: ${health.message}`;
}

/** `3 are Healthy, 1 is Degraded`. */
function countText(objects: readonly KubeObject[]): string {
  const counts = Map.groupBy(objects, (object) => healthOf(object)?.status ?? 'without health');
  return [...counts].map(([status, all]) => `${all.length} ${all.length === 1 ? 'is' : 'are'} ${status}`).join(', ');
}

/** An example may be a `spec` alone. */
function exampleOf(crd: KubeObject, example: JsonObject | undefined): KubeObject | undefined {
  const { apiVersion, kind } = typeOf(crd);
  if (example === undefined || apiVersion === undefined) return undefined;
  const whole = isObject(example['spec']) ? example : { spec: example };
  const metadata = isObject(whole['metadata']) ? whole['metadata'] : {};
  return { ...whole, apiVersion, kind, metadata: { ...metadata, name: textAt(metadata, 'name') ?? 'example' } };
}

function typeOf({ spec, ...crd }: KubeObject): { readonly apiVersion?: string; readonly kind: string } {
  const version = versionForNew({ ...crd, spec });
  const kind = textAt(spec, 'names', 'kind') ?? '';
  return version === undefined ? { kind } : { apiVersion: `${textAt(spec, 'group') ?? ''}/${version}`, kind };
}

/** Of one kind, in the whole cluster. */
const MAX_OBJECTS = 20;

/** The first of the objects that are there; none where the kind is not served yet, or the actor may not list it everywhere. */
async function liveObjects(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  { crd, signal }: Pick<Samples, 'crd'> & Pick<RulesTestInput, 'signal'>,
): Promise<readonly KubeObject[]> {
  const type = {
    group: textAt(crd.spec, 'group') ?? '',
    version: versionForNew(crd) ?? '',
    resource: textAt(crd.spec, 'names', 'plural') ?? '',
  };
  try {
    for await (const { items } of clusters.asActor(actor).pages(type, { content: 'whole', size: MAX_OBJECTS, signal })) return items;
    return [];
  } catch (error) {
    if (isAppError(error, 'NotFound', 'Forbidden', 'MethodNotAllowed')) return [];
    throw error;
  }
}
