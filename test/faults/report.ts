import { readFile } from 'node:fs/promises';
import type { Arena } from './arena.ts';
import { evidenceOf } from './invariants.ts';
import type { Subject } from './subject.ts';
import type { Outcome, Tally } from './tally.ts';

/** What a fault came into. */
interface Disturbed {
  readonly name: string;
  readonly subject: Subject;
  /** All that is known of the subject; default: of an Operator. */
  evidence?(): Promise<string>;
}

/** Where fault runs write down how each fault ended. */
export interface Report {
  /** What is wrong is printed at once, with all that is known of its subject. */
  add(act: Disturbed, outcome: Omit<Outcome, 'act'>): Promise<void>;
  violate(sentence: string): void;
  note(sentence: string): void;
}

const LOG_LINES = 30;

export function createReport(arena: Arena, tally: Tally, { seed, write }: { seed: number; write: (line: string) => void }): Report {
  let count = 0;
  const tell = async ({ subject, ...act }: Disturbed, what: string, faults: readonly string[]): Promise<void> => {
    const text = await readFile(arena.logFile(subject.namespace), 'utf8').catch(() => '');
    const about = text.split('\n').filter((line) => line.includes(subject.name));
    const log = about.slice(-LOG_LINES);
    const known = act.evidence?.() ?? evidenceOf(arena.kube, subject);
    const evidence = await known.catch((error: unknown) => `  no evidence: ${String(error)}`);
    write(
      [`violation: seed ${seed}: ${subject.namespace}/${subject.name}: ${what}`, ...faults.map((fault) => `  - ${fault}`), evidence].join(
        '\n',
      ),
    );
    write(log.map((line) => `  log        ${line}`).join('\n'));
  };
  return {
    add: async (act, outcome) => {
      count += 1;
      tally.add({ ...outcome, act: act.name });
      const what = `${outcome.run} ${outcome.moment} in ${act.name}`;
      write(
        `${count}  ${act.subject.namespace}/${act.subject.name}  ${what}: ${outcome.faults.length === 0 ? 'well' : 'VIOLATED'} after ${outcome.seconds.toFixed(1)} s`,
      );
      if (outcome.faults.length > 0) await tell(act, what, outcome.faults);
    },
    note: write,
    violate: (sentence) => {
      tally.violate(sentence);
      write(`violation: seed ${seed}: ${sentence}`);
    },
  };
}
