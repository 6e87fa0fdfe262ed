import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The watch over the memory of one process. */
export interface MemoryWatch {
  /** Whether the process was found above its bound. */
  exceeded(): boolean;
  stop(): void;
}

export interface WatchedMemory {
  readonly pid: number;
  /** Resident bytes. */
  readonly maxBytes: number;
  /** Called once, when more is resident. */
  readonly onExceeded: () => void;
}

const EVERY_MS = 250;
const KIBIBYTE = 1024;

/**
 * Looks at the resident memory of a process four times a second. It is the only bound where the operating system does not keep one (macOS, gVisor), and a
 * second one elsewhere.
 */
export function watchMemory({ pid, maxBytes, onExceeded }: WatchedMemory): MemoryWatch {
  let exceeded = false;
  let looking = false;
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    const bytes = await residentBytes(pid).catch(() => 0);
    looking = false;
    if (bytes <= maxBytes || exceeded) return;
    exceeded = true;
    onExceeded();
  };
  const timer = setInterval(() => void look(), EVERY_MS).unref();
  return { exceeded: () => exceeded, stop: () => clearInterval(timer) };
}

/** Rejects when the process is gone. */
async function residentBytes(pid: number): Promise<number> {
  if (process.platform === 'linux') {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * KIBIBYTE;
  }
  const { stdout } = await promisify(execFile)('/bin/ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout.trim()) * KIBIBYTE;
}
