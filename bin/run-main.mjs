import { spawn } from 'node:child_process';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const NODE_MAJOR = 24;
/**
 * Without `__proto__` no input reaches the prototype that all objects share; threads have none either. A young generation of 8 MiB takes a hundred MiB less
 * than the one that V8 lets grow. `--expose-gc` is for src/observe/return-memory.ts. The image and the chart name the same flags.
 */
const NODE_FLAGS = JSON.parse(readFileSync(join(root, 'bin', 'node-flags.json'), 'utf8'));
/**
 * The allocator of glibc gives each thread its own memory, and keeps it when the thread has ended; two such arenas take seventy MiB less under load. Buffers
 * from 128 KiB on, such as answers of the api-server, go back to the system at once instead of leaving holes: with large CRDs a hundred MiB less.
 */
const NODE_VARIABLES = JSON.parse(readFileSync(join(root, 'bin', 'node-env.json'), 'utf8'));
/** What one start strips of its types and compiles, later ones and their threads take from here, in a third of the time. */
const COMPILED = join(root, 'node_modules', '.cache', 'chandlery', 'compiled');
/** A signal often comes twice, from the terminal and from npm; only one of the two is passed on. */
const ECHO_MS = 1000;
const PARENT_MS = 500;
/** An earlier package had a small text in place of the program, where scripts of packages are switched off. */
const SMALLEST_PROGRAM = 1024 * 1024;

/**
 * Runs src/main.ts with the arguments on the pinned Node, passes signals on, and ends as it ends. When we are killed, it learns so by the
 * channel between us and stops; `watch` starts it anew whenever a source file changes.
 *
 * @param {readonly string[]} args
 * @param {'once' | 'watch'} mode
 */
export function runMain(args, mode = 'once') {
  const nodeArgs = mode === 'watch' ? ['--watch', '--watch-preserve-output'] : ['--import', join(root, 'bin', 'follow-parent.mjs')];
  const channel = mode === 'watch' ? [] : ['ipc'];
  const stdio = ['inherit', 'inherit', 'inherit', ...channel];
  const child = spawn(findNode(), [...NODE_FLAGS, ...nodeArgs, join(root, 'src', 'main.ts'), ...args], {
    stdio,
    env: { ...NODE_VARIABLES, NODE_COMPILE_CACHE: COMPILED, ...process.env },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) forward(child, signal);
  if (process.env.npm_lifecycle_event !== undefined) followNpm(child);
  child.once('error', (error) => fail(`Chandlery does not start: ${error.message}`));
  child.once('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

/** On a terminal Ctrl-C reaches the child by itself. */
function forward(child, signal) {
  let last = -ECHO_MS;
  process.on(signal, () => {
    const now = performance.now();
    const isEcho = now - last < ECHO_MS;
    last = now;
    if (!isEcho && !(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal);
  });
}

/** A killed npm tells nobody; but whoever started us by npm means us when he kills it. */
function followNpm(child) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    child.kill('SIGTERM');
  }, PARENT_MS);
}

/** The Node that package.json pins; else this one when it is recent enough. */
function findNode() {
  const pinned = join(root, 'node_modules', '.bin', 'node');
  if (majorOf(pinnedVersion(pinned)) >= NODE_MAJOR) return pinned;
  if (majorOf(process.version) >= NODE_MAJOR) return process.execPath;
  return fail(
    `Chandlery needs Node ${NODE_MAJOR}. On Linux (x64, arm64) npm installs it with the optional packages: run \`npm ci\` without \`--omit=optional\`. On other systems, install Node ${NODE_MAJOR}.`,
  );
}

/** Read rather than asked for: a process more would be half of what a short command takes. The link leads to `bin/node` of the package of the platform. */
function pinnedVersion(pinned) {
  try {
    const program = realpathSync(pinned);
    return statSync(program).size < SMALLEST_PROGRAM ? '' : readVersion(join(dirname(dirname(program)), 'package.json'));
  } catch {
    return '';
  }
}

function readVersion(file) {
  return JSON.parse(readFileSync(file, 'utf8')).version;
}

function majorOf(version) {
  return Number.parseInt(version.replace('v', ''), 10) || 0;
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
