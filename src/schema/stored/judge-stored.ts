import { instanceName, judgeUpgrade, schemaOf, storedFaults, versionToCheck } from '../../domain/crd-safety/judge-upgrade.ts';
import type { CrdVerdict, InstanceFault } from '../../domain/crd-safety/finding.ts';
import type { Cluster } from '../../domain/cluster.ts';
import { isAppError } from '../../domain/errors.ts';
import { textAt } from '../../domain/read.ts';
import type { KubeObject, ResourceType } from '../../domain/resource.ts';
import { newRules } from '../rules/new-rules.ts';
import { startRuleChecker, type RuleChecker } from '../rules/rule-checker.ts';

/** Few enough to be looked at between two turns of the event loop, and to fit into memory whatever they hold. */
const PAGE = 100;
const RULES_MS = 10_000;
/** Reading all that is stored may take longer than the api-server keeps one state of it. */
const ATTEMPTS = 3;

export interface StoredInput {
  /** Reads as whoever may: the controller, or a person who asks what an upgrade would do. */
  readonly cluster: Pick<Cluster, 'pages'>;
  readonly live: KubeObject;
  readonly candidate: KubeObject;
  /** How many faults are named; all are counted. */
  readonly named: number;
  readonly signal: AbortSignal;
}

/**
 * What a new version of a definition means, with every stored instance held against its schema and its new rules, page after page.
 *
 * @throws AppError of the reads, `Forbidden` among them; `Conflict` when reading takes too long again and again.
 */
export async function judgeStored(input: StoredInput): Promise<CrdVerdict> {
  const { live, candidate } = input;
  const verdict = judgeUpgrade({ live, candidate, instances: [] });
  const version = versionToCheck(live, candidate);
  if (version === undefined) return verdict;
  const schema = schemaOf(candidate, version);
  const type = { group: textAt(live.spec, 'group') ?? '', version, resource: textAt(live.spec, 'names', 'plural') ?? '' };
  const checker = startRuleChecker({ schema, rules: newRules(schemaOf(live, version), schema), timeoutMs: RULES_MS });
  try {
    return { ...verdict, ...(await readAll(input, type, { schema, checker })) };
  } finally {
    await checker.close();
  }
}

interface Judge {
  readonly schema: unknown;
  readonly checker: RuleChecker;
}

type Found = Required<Pick<CrdVerdict, 'faults' | 'faultCount' | 'unchecked'>>;

async function readAll(input: StoredInput, type: ResourceType, judge: Judge): Promise<Found> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readOnce(input, type, judge);
    } catch (error) {
      // The definition is not served yet, so nothing is stored.
      if (isAppError(error, 'NotFound')) return { faults: [], faultCount: 0, unchecked: [] };
      // The pages ran out of time (410), so it begins anew.
      if (!isAppError(error, 'Conflict') || attempt === ATTEMPTS) throw error;
    }
  }
}

async function readOnce({ cluster, named, signal }: StoredInput, type: ResourceType, { schema, checker }: Judge): Promise<Found> {
  const faults: InstanceFault[] = [];
  const unchecked = new Set<string>();
  let faultCount = 0;
  for await (const { items } of cluster.pages(type, { content: 'whole', size: PAGE, signal })) {
    const found = new Map(storedFaults(schema, items).map((fault) => [fault.instance, fault]));
    const answer = await checker.check(items);
    for (const { index, path, why } of answer.broken) {
      const object = items[index];
      const instance = object === undefined ? '' : instanceName(object);
      if (!found.has(instance)) found.set(instance, { instance, path, why });
    }
    for (const rule of answer.unchecked) unchecked.add(rule);
    faultCount += found.size;
    faults.push(...[...found.values()].slice(0, named - faults.length));
  }
  return { faults, faultCount, unchecked: [...unchecked].sort() };
}
