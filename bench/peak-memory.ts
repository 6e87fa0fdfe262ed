import { readFileSync } from 'node:fs';

/** The most memory that a process of Linux has held so far, threads included, in MiB; undefined when there is no such process. */
export function peakMiB(pid: number): number | undefined {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kib === undefined ? undefined : Number(kib) / 1024;
  } catch {
    return undefined;
  }
}
