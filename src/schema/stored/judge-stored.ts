import { compareCrds } from '../../domain/crd-safety/compare-crds.ts';
import { instanceName, storedChecks, storedFaults, type StoredCheck } from '../../domain/crd-safety/judge-upgrade.ts';
import type { CrdVerdict, InstanceFault } from '../../domain/crd-safety/finding.ts';
import type { Cluster } from '../../domain/cluster.ts';
import { isAppError } from '../../domain/errors.ts';
import { textAt } from '../../domain/read.ts';
import type { KubeObject } from '../../domain/resource.ts';
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
  readonly look?: StoredLook;
  readonly signal: AbortSignal;
}

/** Looks at stored instances while they are read. What was told since the last `begin` is told again when reading begins anew. */
export interface StoredLook {
  begin(check: StoredCheck): void;
  add(items: readonly KubeObject[]): void;
}

/**
 * What a new version of a definition means, with every stored instance held against the schemas that it must fit and their new rules, page after page.
 *
 * @throws AppError of the reads, `Forbidden` among them; `Conflict` when reading takes too long again and again.
 */
export async function judgeStored(input: StoredInput): Promise<CrdVerdict> {
  const { live, candidate } = input;
  const verdict = { crd: candidate.metadata.name, findings: compareCrds(live, candidate) };
  const founds: Found[] = [];
  for (const check of storedChecks(live, candidate)) founds.push(await readAll(input, check));
  const faulty = new Set(founds.flatMap((found) => [...found.faulty]));
  const faults = new Map(founds.flatMap((found) => found.faults.map((fault) => [fault.instance, fault])));
  const unchecked = new Set(founds.flatMap((found) => [...found.unchecked]));
  return { ...verdict, faults: [...faults.values()].slice(0, input.named), faultCount: faulty.size, unchecked: [...unchecked].sort() };
}

/** What one check found; all that are faulty, and some of the faults. */
interface Found {
  readonly faults: readonly InstanceFault[];
  readonly faulty: ReadonlySet<string>;
  readonly unchecked: ReadonlySet<string>;
}

async function readAll(input: StoredInput, check: StoredCheck): Promise<Found> {
  const checker = startRuleChecker({ schema: check.schema, rules: newRules(check.before, check.schema), timeoutMs: RULES_MS });
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await readOnce(input, { check, checker });
      } catch (error) {
        // The definition is not served yet, so nothing is stored.
        if (isAppError(error, 'NotFound')) return { faults: [], faulty: new Set(), unchecked: new Set() };
        // The pages ran out of time (410), so it begins anew.
        if (!isAppError(error, 'Conflict') || attempt === ATTEMPTS) throw error;
      }
    }
  } finally {
    await checker.close();
  }
}

interface Judge {
  readonly check: StoredCheck;
  readonly checker: RuleChecker;
}

async function readOnce({ cluster, live, named, look, signal }: StoredInput, { check, checker }: Judge): Promise<Found> {
  const type = { group: textAt(live.spec, 'group') ?? '', version: check.read, resource: textAt(live.spec, 'names', 'plural') ?? '' };
  const faults: InstanceFault[] = [];
  const [faulty, unchecked] = [new Set<string>(), new Set<string>()];
  look?.begin(check);
  for await (const { items } of cluster.pages(type, { content: 'whole', size: PAGE, signal })) {
    look?.add(items);
    const found = new Map(storedFaults(check, items).map((fault) => [fault.instance, fault]));
    const answer = await checker.check(items);
    for (const { index, path, why } of answer.broken) {
      const object = items[index];
      const instance = object === undefined ? '' : instanceName(object);
      if (!found.has(instance)) found.set(instance, { instance, path: `${check.prefix}${path}`, why });
    }
    for (const rule of answer.unchecked) unchecked.add(rule);
    for (const instance of found.keys()) faulty.add(instance);
    faults.push(...[...found.values()].slice(0, named - faults.length));
  }
  return { faults, faulty, unchecked };
}
