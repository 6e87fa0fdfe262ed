import { instanceName, judgeUpgrade, schemaOf, storedFaults, versionToCheck } from '../../domain/crd-safety/judge-upgrade.ts';
import type { CrdVerdict, InstanceFault } from '../../domain/crd-safety/finding.ts';
import { isAppError } from '../../domain/errors.ts';
import { textAt } from '../../domain/read.ts';
import type { KubeObject, ResourceType } from '../../domain/resource.ts';
import { newRules } from '../../schema/rules/new-rules.ts';
import { startRuleChecker, type RuleChecker } from '../../schema/rules/rule-checker.ts';
import type { Work } from './work.ts';

/** Few enough to be looked at between two turns of the event loop, and to fit into memory whatever they hold. */
const PAGE = 100;
const RULES_MS = 10_000;
/** Reading all that is stored may take longer than the api-server keeps one state of it. */
const ATTEMPTS = 3;
const NAMED = 10;

/** What a new version of a definition means, with every stored instance held against its schema and its new rules, page after page. */
export async function judgeStored(work: Work, live: KubeObject, candidate: KubeObject): Promise<CrdVerdict> {
  const verdict = judgeUpgrade({ live, candidate, instances: [] });
  const version = versionToCheck(live, candidate);
  if (version === undefined) return verdict;
  const schema = schemaOf(candidate, version);
  const type = { group: textAt(live.spec, 'group') ?? '', version, resource: textAt(live.spec, 'names', 'plural') ?? '' };
  const checker = startRuleChecker({ schema, rules: newRules(schemaOf(live, version), schema), timeoutMs: RULES_MS });
  try {
    return { ...verdict, ...(await readAll(work, type, { schema, checker })) };
  } finally {
    await checker.close();
  }
}

interface Judge {
  readonly schema: unknown;
  readonly checker: RuleChecker;
}

type Found = Required<Pick<CrdVerdict, 'faults' | 'faultCount' | 'unchecked'>>;

async function readAll(work: Work, type: ResourceType, judge: Judge): Promise<Found> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readOnce(work, type, judge);
    } catch (error) {
      // The definition is not served yet, so nothing is stored.
      if (isAppError(error, 'NotFound')) return { faults: [], faultCount: 0, unchecked: [] };
      // The pages ran out of time (410), so it begins anew.
      if (!isAppError(error, 'Conflict') || attempt === ATTEMPTS) throw error;
    }
  }
}

async function readOnce({ ports, signal }: Work, type: ResourceType, { schema, checker }: Judge): Promise<Found> {
  const faults: InstanceFault[] = [];
  const unchecked = new Set<string>();
  let faultCount = 0;
  for await (const { items } of ports.cluster.pages(type, { content: 'whole', size: PAGE, signal })) {
    const found = new Map(storedFaults(schema, items).map((fault) => [fault.instance, fault]));
    const answer = await checker.check(items);
    for (const { index, path, why } of answer.broken) {
      const object = items[index];
      const instance = object === undefined ? '' : instanceName(object);
      if (!found.has(instance)) found.set(instance, { instance, path, why });
    }
    for (const rule of answer.unchecked) unchecked.add(rule);
    faultCount += found.size;
    faults.push(...[...found.values()].slice(0, NAMED - faults.length));
  }
  return { faults, faultCount, unchecked: [...unchecked].sort() };
}
