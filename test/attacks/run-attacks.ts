import { messageOf } from '../../src/domain/core/errors.ts';
import type { Attack, Pace, Subject } from './attack.ts';
import type { Target } from './target.ts';

export interface AttackRow {
  readonly subject: string;
  readonly title: string;
  readonly attempts: number;
  /** Why it did not hold; undefined when it did. */
  readonly failure: string | undefined;
  /** The longest turn of the product's event loop meanwhile. */
  readonly workMs: number;
  readonly seconds: number;
}

interface RunInput {
  readonly target: Target;
  readonly pace: Pace;
  readonly write: (line: string) => void;
}

/** Runs the attacks one by one, quick ones alone where asked, and writes a line about each as it ends. */
export async function runAttacks(subjects: readonly Subject[], { target, pace, write }: RunInput): Promise<AttackRow[]> {
  const rows: AttackRow[] = [];
  write(`${'held'.padEnd(6)}${'attempts'.padStart(8)}${'turn ms'.padStart(9)}${'s'.padStart(7)}  attack`);
  for (const { name, attacks, report } of subjects) {
    for (const attack of attacks.filter((candidate) => pace === 'slow' || candidate.pace !== 'slow')) {
      const row = { subject: name, ...(await runAttack(attack, target, pace)) };
      rows.push(row);
      write(lineOf(row));
    }
    if (report !== undefined) write(report());
  }
  write(secondsBySubject(rows));
  return rows;
}

/** The slowest parts first. */
function secondsBySubject(rows: readonly AttackRow[]): string {
  const parts = Object.entries(Object.groupBy(rows, ({ subject }) => subject)).map(([subject, own = []]) => ({
    subject,
    seconds: own.reduce((sum, row) => sum + row.seconds, 0),
    attacks: own.length,
  }));
  const sorted = parts.toSorted((one, other) => other.seconds - one.seconds);
  return [
    'seconds by subject:',
    ...sorted.map((part) => `${part.seconds.toFixed(1).padStart(8)} s  ${part.subject} (${part.attacks} attacks)`),
  ].join('\n');
}

/** Tries one attack, and measures the product meanwhile. */
export async function runAttack(attack: Attack, target: Target, pace: Pace): Promise<Omit<AttackRow, 'subject'>> {
  await target.longestTurn();
  const began = performance.now();
  const { attempts, failure } = await attempt(attack, target, pace);
  return { title: attack.title, attempts, failure, workMs: await target.longestTurn(), seconds: (performance.now() - began) / 1000 };
}

async function attempt(
  { run }: Attack,
  target: Target,
  pace: Pace,
): Promise<{ readonly attempts: number; readonly failure: string | undefined }> {
  try {
    return { attempts: (await run(target, pace)) ?? 1, failure: undefined };
  } catch (error) {
    return { attempts: 1, failure: messageOf(error) };
  }
}

function lineOf({ subject, title, attempts, failure, workMs, seconds }: AttackRow): string {
  const held = (failure === undefined ? 'yes' : 'NO').padEnd(6);
  const line = `${held}${String(attempts).padStart(8)}${workMs.toFixed(0).padStart(9)}${seconds.toFixed(1).padStart(7)}  ${subject}: ${title}`;
  return failure === undefined ? line : `${line}\n${failure.replaceAll(/^/gm, '         ')}`;
}
