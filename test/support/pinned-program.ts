import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { repoRoot } from './cluster.ts';

/** A program of a Go module that a test needs, and the rest of its users do not. */
export interface PinnedProgram {
  /** Of the program, and of the folder `test/NAME` whose go.mod and go.sum pin it. */
  readonly name: string;
  readonly package: string;
  /** Flags of `go build`. */
  readonly flags?: readonly string[];
  /** `1`: it has parts in C; default `0`. */
  readonly cgo?: '0' | '1';
  /** How long it takes to build on two cores. */
  readonly duration: string;
}

/** The path of the program, built once for all clones from what its go.mod pins. */
export async function pinnedProgram({ name, package: main, flags = [], cgo = '0', duration }: PinnedProgram): Promise<string> {
  const module = join(repoRoot, 'test', name);
  const pins = await Promise.all(['go.mod', 'go.sum'].map(async (file) => await readFile(join(module, file), 'utf8')));
  const key = createHash('sha256')
    .update([...pins, process.platform, process.arch].join('\0'))
    .digest('hex');
  const { XDG_CACHE_HOME: cache = '' } = process.env;
  const folder = join(cache.startsWith('/') ? cache : join(homedir(), '.cache'), 'chandlery', name, key.slice(0, 16));
  const program = join(folder, name);
  if (existsSync(program)) return program;
  await mkdir(folder, { recursive: true });
  const draft = `${program}.${process.pid}`;
  console.error(`Building ${name} from source, once for all clones; about ${duration} on two cores.`);
  const options = { cwd: module, env: { CGO_ENABLED: cgo, GOWORK: 'off' } };
  await execa('go', ['build', '-mod=readonly', '-buildvcs=false', '-trimpath', ...flags, '-ldflags=-s -w', '-o', draft, main], options);
  await rename(draft, program);
  return program;
}
