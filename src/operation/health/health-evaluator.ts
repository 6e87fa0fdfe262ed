import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { type KindRules, ruleField } from '../../domain/health/custom-rules.ts';
import { type RuleOwners, type RuleTable, ruleTable } from '../../domain/health/rule-table.ts';
import { areSame } from '../../domain/tree/are-same.ts';
import { hasCustomHealth, type JudgedHealth, setCustomHealth } from '../../domain/health/rules/health-of.ts';
import type { CatalogCache } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { type JobOutcome, ThreadHost } from '../../thread/thread-host.ts';
import type { HEALTH_JOBS, RulePart } from './health-worker.ts';

/** A rule that could not be evaluated lately. */
export interface HealthRuleFault {
  readonly owner: string;
  /** `spec.catalog.kinds[0].health[1].when` */
  readonly field: string;
  readonly message: string;
}

/** Evaluates the health rules that people wrote for kinds. */
export interface HealthEvaluator {
  /** Evaluates the rules for these objects, as far as there are any; `healthOf` knows what they say from then on. */
  evaluate(objects: readonly KubeObject[]): Promise<void>;
  /** The rules that failed within the last ten minutes. */
  readonly faults: () => readonly HealthRuleFault[];
}

export interface HealthEvaluatorOptions {
  /** The rules as they are now. */
  readonly rules: () => RuleTable;
  /** Milliseconds that the rules for the objects of a page may take. */
  readonly timeoutMs?: number;
  /** Milliseconds for which the thread is kept without work; 0: not at all. */
  readonly idleMs?: number;
}

const TIMEOUT_MS = 1_000;
const MEMORY_MIB = 64;
const IDLE_MS = 300_000;
/** How long a rule that took too long is not tried again. */
const BAN_MS = 60_000;
const FAULT_MS = 600_000;
const MAX_FAULTS = 200;
const MAX_CACHED = 20_000;
/** Objects that are copied to the thread at a time. */
const MAX_AT_ONCE = 1_000;

/** The rules of the catalogue and of Environments. */
export function catalogRules(
  catalog: Pick<CatalogCache, 'operators' | 'customResourceDefinitions' | 'environments' | 'appDefinitions'>,
): HealthEvaluatorOptions['rules'] {
  let known: { readonly owners: RuleOwners; readonly table: RuleTable } | undefined;
  return () => {
    const owners: RuleOwners = {
      operators: catalog.operators(),
      crds: catalog.customResourceDefinitions(),
      environments: catalog.environments(),
      appDefinitions: catalog.appDefinitions(),
    };
    // The lists are the same ones until something in them changes.
    if (known === undefined || !areSame(Object.values(known.owners), Object.values(owners))) known = { owners, table: ruleTable(owners) };
    return known.table;
  };
}

export function createHealthEvaluator(options: HealthEvaluatorOptions): HealthEvaluator {
  const evaluator = new Evaluator(options);
  let turn: Promise<unknown> = Promise.resolve();
  return {
    evaluate: async (objects) => {
      const mine = turn.then(async () => await evaluator.evaluate(objects));
      turn = mine.catch(() => undefined);
      await mine;
    },
    faults: () => evaluator.faults(),
  };
}

/** An object that no rule has said anything about yet. */
interface Open {
  readonly object: KubeObject;
  readonly kindRules: KindRules;
  /** Of the version of the object and the rules; undefined for what has no version. */
  readonly key?: string;
}

/** The open objects of one kind. */
interface Batch {
  readonly kindRules: KindRules;
  readonly open: readonly Open[];
}

/**
 * Rules are foreign: they run in a thread that is ended when they take longer than a second or too much memory. The health of the objects is Unknown then, and the rule
 * is left alone for a minute. What a rule says of one version of an object is remembered, so that a refresh evaluates only what has changed.
 */
class Evaluator {
  readonly #rules: HealthEvaluatorOptions['rules'];
  readonly #timeoutMs: number;
  readonly #thread: ThreadHost<typeof HEALTH_JOBS>;
  /** By table of rules, the objects that none of them is about. */
  readonly #ruleless = new WeakMap<object, WeakSet<KubeObject>>();
  readonly #known = new LRUCache<string, { readonly health: JudgedHealth | undefined }>({ max: MAX_CACHED });
  readonly #banned = new LRUCache<string, { readonly rule: number; readonly why: string }>({ max: MAX_FAULTS, ttl: BAN_MS });
  readonly #faults = new LRUCache<string, HealthRuleFault>({ max: MAX_FAULTS, ttl: FAULT_MS });

  constructor({ rules, timeoutMs = TIMEOUT_MS, idleMs = IDLE_MS }: HealthEvaluatorOptions) {
    this.#thread = new ThreadHost({ file: new URL('health-worker.ts', import.meta.url), memoryMib: MEMORY_MIB, idleMs });
    this.#rules = rules;
    this.#timeoutMs = timeoutMs;
  }

  faults(): readonly HealthRuleFault[] {
    return [...this.#faults.values()];
  }

  async evaluate(objects: readonly KubeObject[]): Promise<void> {
    const table = this.#rules();
    const ruleless = this.#ruleless.get(table) ?? new WeakSet<KubeObject>();
    this.#ruleless.set(table, ruleless);
    let waiting = objects.flatMap((object) => {
      if (ruleless.has(object)) return [];
      const lists = isWhole(object) ? table.rulesFor(object) : [];
      if (lists.length > 0) return [{ object, lists }];
      // The rules of an object that is kept may be gone.
      setCustomHealth(object, undefined);
      ruleless.add(object);
      return [];
    });
    for (let list = 0; waiting.length > 0; list += 1) {
      const answered = await this.#evaluateLists(waiting.flatMap(({ object, lists }) => openOf(object, lists[list])));
      waiting = waiting.filter(({ object, lists }) => lists.length > list + 1 && !answered.has(object));
    }
  }

  /** Evaluates one list of rules for each object. @returns the objects of which they say something. */
  async #evaluateLists(all: readonly Open[]): Promise<ReadonlySet<KubeObject>> {
    const open = all.filter((one) => !this.#recall(one));
    for (let from = 0; from < open.length; from += MAX_AT_ONCE) {
      const byRules = Map.groupBy(open.slice(from, from + MAX_AT_ONCE), ({ kindRules }) => kindRules);
      let batches = [...byRules].map(([kindRules, all]): Batch => ({ kindRules, open: all }));
      while (batches.length > 0) batches = await this.#run(batches);
    }
    return new Set(all.flatMap(({ object }) => (hasCustomHealth(object) ? [object] : [])));
  }

  /** Whether it is known what the rules say. */
  #recall({ object, kindRules, key }: Open): boolean {
    const ban = this.#banned.get(digestOf(kindRules));
    if (ban !== undefined) setCustomHealth(object, unknownBy(kindRules, ban));
    const before = key === undefined ? undefined : this.#known.get(key);
    if (ban === undefined && before !== undefined) setCustomHealth(object, before.health);
    return ban !== undefined || before !== undefined;
  }

  /** Evaluates batches in order. @returns those behind the one with which the thread came to its end. */
  async #run(batches: readonly Batch[]): Promise<Batch[]> {
    const left = batches.map(({ open }) => new Set(open));
    let next = { batch: 0, rule: 0 };
    const onPart = (part: RulePart): void => {
      const batch = batches[part.batch];
      if (batch === undefined) return;
      for (const one of this.#take(batch, part)) left[part.batch]?.delete(one);
      const isLast = part.rule + 1 === batch.kindRules.rules.length;
      next = isLast ? { batch: part.batch + 1, rule: 0 } : { batch: part.batch, rule: part.rule + 1 };
    };
    const content = batches.map(({ kindRules, open }) => ({ rules: kindRules.rules, objects: open.map(({ object }) => bare(object)) }));
    const outcome = await this.#thread.run('evaluate', [content], { timeoutMs: this.#timeoutMs, onPart });
    const end = outcome.kind === 'Result' ? batches.length : next.batch;
    for (const one of left.slice(0, end).flatMap((open) => [...open])) this.#answer(one, undefined);
    const culprit = batches[end];
    if (culprit === undefined || outcome.kind === 'Result') return [];
    const ban = { rule: next.rule, why: this.#sentenceOf(outcome) };
    this.#banned.set(digestOf(culprit.kindRules), ban);
    this.#report(culprit.kindRules, { rule: ban.rule, member: 'when' }, ban.why);
    for (const { object } of left[end] ?? []) setCustomHealth(object, unknownBy(culprit.kindRules, ban));
    return batches.slice(end + 1);
  }

  /** Takes what one rule says. @returns the objects that it is about. */
  #take({ kindRules, open }: Batch, { rule, answers }: RulePart): Open[] {
    return answers.flatMap(({ object, answer }) => {
      const one = open[object];
      if (one === undefined) return [];
      if (answer.kind === 'Fault') {
        this.#report(kindRules, { rule, member: 'when' }, answer.fault);
        this.#answer(one, unknownBy(kindRules, { rule, why: answer.message }));
      } else {
        if (answer.fault !== undefined) this.#report(kindRules, { rule, member: 'messageExpression' }, answer.fault);
        this.#answer(one, { ...answer.health, rule: ruleField(kindRules, rule) });
      }
      return [one];
    });
  }

  #answer({ object, key }: Open, health: JudgedHealth | undefined): void {
    setCustomHealth(object, health);
    if (key !== undefined) this.#known.set(key, { health });
  }

  #report(kindRules: KindRules, { rule, member }: { readonly rule: number; readonly member: string }, message: string): void {
    const { owner } = kindRules;
    const field = `${ruleField(kindRules, rule)}.${member}`;
    this.#faults.set(`${owner} ${field}`, { owner, field, message });
  }

  #sentenceOf(outcome: Exclude<JobOutcome<unknown>, { kind: 'Result' }>): string {
    switch (outcome.kind) {
      case 'Late':
        return `evaluation took longer than ${this.#timeoutMs / 1000} s`;
      case 'OutOfMemory':
        return `evaluation took more than ${MEMORY_MIB} MiB of memory`;
      case 'TooDeep':
        return 'evaluation is nested too deeply';
      case 'Died':
        return `evaluation ended: ${outcome.why.message}`;
      default:
        return outcome satisfies never;
    }
  }
}

/** Of what was read as metadata alone nothing can be said. */
function isWhole(object: KubeObject): boolean {
  return Object.keys(object).length > 3;
}

function openOf(object: KubeObject, kindRules: KindRules | undefined): Open[] {
  if (kindRules === undefined) return [];
  const { uid, resourceVersion } = object.metadata;
  const isVersioned = uid !== undefined && resourceVersion !== undefined;
  return [{ object, kindRules, ...(isVersioned ? { key: `${uid} ${resourceVersion} ${digestOf(kindRules)}` } : {}) }];
}

const digests = new WeakMap<KindRules, string>();

function digestOf(kindRules: KindRules): string {
  const known = digests.get(kindRules);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(stringifyJson(kindRules)).digest('base64');
  digests.set(kindRules, digest);
  return digest;
}

/** The managed fields are half of an object, and no rule is about them. */
function bare(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function unknownBy(kindRules: KindRules, { rule, why }: { readonly rule: number; readonly why: string }): JudgedHealth {
  const place = ruleField(kindRules, rule);
  return { status: 'Unknown', message: `The health rule ${place} of ${kindRules.owner} failed: ${why}`, rule: place };
}
