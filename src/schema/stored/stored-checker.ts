import type { InstanceFault } from '../../domain/upgrade/crd-safety/finding.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { NewRule, RulesAnswer } from '../rules/check-rules.ts';
import { ThreadHost } from '../../thread/thread-host.ts';
import type { CheckerSubject, STORED_JOBS } from './stored-worker.ts';

export interface PageAnswer {
  /** By the schema: the first fault of each object that has one. */
  readonly faults: readonly InstanceFault[];
  readonly rules: RulesAnswer;
}

/** Checks objects, a page of them at a time. */
export interface StoredChecker {
  /** Undefined: the schema takes too long, for these and for all that come. */
  check(objects: readonly KubeObject[]): Promise<PageAnswer | undefined>;
  close(): Promise<void>;
}

const MEMORY_MIB = 256;

/**
 * Checks in a thread that is ended when a page takes too long: schemas and rules are foreign, and can keep a program busy for ever. Rules that do count
 * as unchecked from then on.
 *
 * @param timeoutMs that a page may take
 */
export function startStoredChecker({ schema, prefix, rules: all }: CheckerSubject, timeoutMs: number): StoredChecker {
  let rules = all;
  let isOver = false;
  const thread = new ThreadHost<typeof STORED_JOBS>({
    file: new URL('stored-worker.ts', import.meta.url),
    memoryMib: MEMORY_MIB,
    data: () => ({ schema, prefix, rules }),
  });
  const skipped = (): RulesAnswer => ({ broken: [], unchecked: rules.length === 0 ? messagesOf(all) : [] });
  const check = async (objects: readonly KubeObject[]): Promise<PageAnswer | undefined> => {
    if (isOver) return undefined;
    if (objects.length === 0) return { faults: [], rules: skipped() };
    let faults: readonly InstanceFault[] | undefined;
    const outcome = await thread.run('check', [objects], { timeoutMs, onPart: (part) => void (faults = part) });
    if (outcome.kind !== 'Result') {
      rules = [];
      isOver = faults === undefined;
    }
    if (faults === undefined) return undefined;
    return { faults, rules: outcome.kind !== 'Result' || rules.length === 0 ? skipped() : outcome.result };
  };
  return { check, close: async () => await thread.end() };
}

function messagesOf(rules: readonly NewRule[]): string[] {
  return [...new Set(rules.map(({ message }) => message))].sort();
}
