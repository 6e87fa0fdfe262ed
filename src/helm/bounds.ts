import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const MEBIBYTE = 1024 * 1024;
const KIBIBYTE = 1024;

/** What one helm program may hold in memory. Large charts take some 120 MiB. */
export const HELM_MEMORY = 512 * MEBIBYTE;
/** Processor time of a run. */
export const CPU_SECONDS = 120;
const FILE_BYTES = 64 * MEBIBYTE;
/** What the process itself, and what else runs beside Helm, needs of a container. */
const OUR_MEMORY = 512 * MEBIBYTE;

/**
 * Limits of the operating system, set by a shell that then becomes the program, so that its process id is the program's. `-d` (RLIMIT_DATA) counts private
 * writable memory. `-v` (RLIMIT_AS) is of no use for Go: what it reserves at random addresses counts, and a program of 50 MiB fails below one limit and
 * starts below a lower one. Where a limit is not known, or lower already, the program starts all the same. No core file: values are in memory. The program does not start before it is told to, when whoever is to end it knows of it.
 */
const SCRIPT = [
  `ulimit -d ${HELM_MEMORY / KIBIBYTE}`,
  `ulimit -t ${CPU_SECONDS}`,
  // POSIX counts blocks of 512 bytes.
  `ulimit -f ${FILE_BYTES / 512}`,
  'ulimit -c 0',
]
  .map((limit) => `${limit} 2>/dev/null || :`)
  .concat('read -r go && exec "$@" < /dev/null')
  .join('\n');

/** What is to be written to the shell's input for the program to start. The program itself has no input. */
export const GO = 'go\n';

/** The program and its arguments, to be run within the limits. The shell ends with 126 or 127 when there is no such program. */
export function withinLimits(program: string, args: readonly string[]): { readonly file: string; readonly args: readonly string[] } {
  return { file: '/bin/sh', args: ['-c', SCRIPT, 'helm', program, ...args] };
}

/** How many helm programs may run at once in so much memory: what was wished for, or fewer, but one. */
export function childrenWithin(wished: number, memoryBytes: number): number {
  return Math.max(1, Math.min(wished, Math.floor((memoryBytes - OUR_MEMORY) / HELM_MEMORY)));
}

/** The watch over the memory of one process. */
interface MemoryWatch {
  /** Whether the process was found above its bound. */
  exceeded(): boolean;
  stop(): void;
}

interface WatchedMemory {
  readonly pid: number;
  /** Resident bytes. */
  readonly maxBytes: number;
  /** Called once, when more is resident. */
  readonly onExceeded: () => void;
}

const EVERY_MS = 250;

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
