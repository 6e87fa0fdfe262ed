import type { Command } from '../../cli/command.ts';
import { parseArguments } from '../../cli/options.ts';
import { messageOf } from '../../domain/core/errors.ts';
import { cliTokenCache } from './cli-token-cache.ts';
import { deleteLogin, readLogin } from './stored-login.ts';

/** `chandlery logout`. */
export const LOGOUT_COMMAND: Command = {
  name: 'logout',
  group: 'Sign-in and kubectl',
  usage: '',
  summary: 'end the sign-in of "chandlery login", here and at the issuer; kubectl signs in again',
  options: [],
  settings: [],
  examples: ['chandlery logout'],
  run: async (argv, { env, note }) => {
    parseArguments({ name: 'logout', usage: '', options: [], words: { least: 0, most: 0 } }, argv);
    const login = await readLogin(env);
    if (login === undefined) return 'Nobody is signed in\n';
    if (login.person !== undefined) {
      const { forgetTokens } = await import('../../identity/command-line/obtain-token.ts');
      await forgetTokens({ ...login.person, cache: cliTokenCache(env), clock: Date.now }).catch((error: unknown) =>
        note(`The tokens here are deleted, but the issuer could not revoke the refresh token: ${messageOf(error)}`),
      );
    }
    await deleteLogin(env);
    return `Signed out of ${login.server}\n`;
  },
};
