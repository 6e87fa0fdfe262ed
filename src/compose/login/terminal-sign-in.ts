import { spawn } from 'node:child_process';
import type { Terminal } from '../../cli/command.ts';
import type { Option } from '../../cli/options.ts';
import type { SignIn } from '../../identity/command-line/obtain-token.ts';

export const NO_BROWSER: Option = { name: 'no-browser', help: 'sign in by a code that you enter on any machine' };

/**
 * Signs the person at this terminal in: in the browser of this machine where there is one, else by a code.
 *
 * @param browser `never` for `--no-browser`.
 */
export async function terminalSignIn({ env, note, signal }: Terminal, browser: 'if there is one' | 'never'): Promise<SignIn> {
  const { createSignIn } = await import('../../identity/command-line/sign-in.ts');
  const how = browser === 'never' || !hasBrowser(env) ? 'device' : 'browser';
  return createSignIn({ how, open: openInBrowser, note, signal });
}

/** A terminal by ssh has the browser of another machine. */
function hasBrowser(env: Terminal['env']): boolean {
  if ((env['SSH_CONNECTION'] ?? '') !== '') return false;
  if (process.platform === 'darwin' || process.platform === 'win32') return true;
  return (env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== '';
}

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** The address is printed, too: where nothing opens it, the person does. */
function openInBrowser(url: URL): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url.href], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
}
