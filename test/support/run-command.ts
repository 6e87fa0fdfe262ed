import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { COMMANDS } from '../../src/compose/commands.ts';
import { openApi } from '../../src/compose/open-api.ts';

/** What a command did. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `chandlery ARGS` in this process, which takes a tenth of what a process of its own takes. @param env its whole environment. */
export async function runCommand(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  let [stdout, stderr] = ['', ''];
  const ending = new AbortController();
  const { signal } = ending;
  const print = (text: string): void => void (stdout += text);
  const note = (line: string): void => void (stderr += `${line}\n`);
  const code = await runCommandLine(args, {
    commands: COMMANDS,
    openApi,
    openTerminal: () => ({ env, signal, print, note, colors: false }),
    print,
    warn: (text) => (stderr += text),
    version: () => Promise.resolve('0.0.0'),
    signal,
  });
  return { code, stdout, stderr };
}
