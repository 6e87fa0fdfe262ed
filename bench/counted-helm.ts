import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childSeconds } from './plain-helm.ts';

/** The helm program behind a shell script that notes each run and what it and its children cost. */
export interface CountedHelm {
  /** Path of the script. */
  readonly program: string;
  /** The runs since the last time this was asked. */
  runs(): Promise<HelmRuns>;
}

export interface HelmRuns {
  readonly count: number;
  /** By the word behind `helm`. */
  readonly byVerb: Readonly<Record<string, number>>;
  /** Seconds of processor time, those of the post-renderer included. */
  readonly cpuSeconds: number;
}

export async function countHelm(helm: string, folder: string): Promise<CountedHelm> {
  const program = join(folder, 'helm.sh');
  const notes = join(folder, 'helm-runs');
  await mkdir(notes);
  await writeFile(program, `#!/bin/sh\n'${helm}' "$@"\ncode=$?\n{ echo "$1"; times; } > '${notes}'/$$\nexit $code\n`, { mode: 0o755 });
  return {
    program,
    runs: async () => {
      const files = (await readdir(notes)).map((name) => join(notes, name));
      const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
      await Promise.all(files.map((file) => rm(file)));
      return summaryOf(texts);
    },
  };
}

function summaryOf(texts: readonly string[]): HelmRuns {
  const byVerb: Record<string, number> = {};
  let cpuSeconds = 0;
  for (const text of texts) {
    const [verb = ''] = text.split('\n');
    byVerb[verb] = (byVerb[verb] ?? 0) + 1;
    cpuSeconds += childSeconds(text);
  }
  return { count: texts.length, byVerb, cpuSeconds };
}
