import { readFileSync } from 'node:fs';

const TICKS_A_SECOND = 100;

/** The CPU seconds of this process and of all its children that have ended, as Linux counts them; elsewhere only its own. */
export function cpuSeconds(): number {
  try {
    const fields = (readFileSync('/proc/self/stat', 'utf8').split(') ')[1] ?? '').split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}
