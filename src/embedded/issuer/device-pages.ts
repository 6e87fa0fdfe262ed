import type { IncomingMessage } from 'node:http';
import { type RequestHandler, Router } from 'express';
import type { Configuration } from 'oidc-provider';
import { escapeHtml, issuerPage, noticePage, type PageAssets } from './issuer-pages.ts';

type DeviceFlow = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>;

/** Codes that the address suggested, until the page of this request has one in its field. */
const suggested = new WeakMap<IncomingMessage, string>();

/** What oidc-provider hands to the page of the code when the one before was of no use. */
interface CodeError {
  readonly name?: string;
  readonly userCode?: string;
}

/** The device flow (RFC 8628) with pages like those of the sign-in: the code, its confirmation, and the end. */
export function deviceFlow(assets: PageAssets): DeviceFlow {
  return {
    enabled: true,
    charset: 'base-20',
    mask: '****-****',
    userCodeInputSource: (ctx, form, _out, error?: CodeError) => {
      const isCancelled = error?.name === 'AbortedError';
      const code = error?.userCode ?? suggested.get(ctx.req) ?? '';
      ctx.body = isCancelled ? cancelledPage(assets) : enterCodePage({ form, code, fault: error !== undefined }, assets);
    },
    userCodeConfirmSource: (...[ctx, form, , , code]) => {
      ctx.body = confirmCodePage(form, code, assets);
    },
    successSource: (ctx) => {
      ctx.body = noticePage('The command line is signed in', 'Close this page and go back to your terminal.', assets, 'the end');
    },
  };
}

/** The address with a code shows the form with it filled in; nothing is sent before somebody has compared it with the terminal. */
export function deviceRoutes(): RequestHandler {
  const router = Router();
  router.get('/device', (req, _res, next) => {
    const code = new URLSearchParams(req.url.split('?')[1] ?? '').get('user_code');
    if (code !== null && /^[\w-]{1,20}$/.test(code)) suggested.set(req, code);
    req.url = '/device';
    next();
  });
  return router;
}

interface EnterCode {
  /** oidc-provider's. */
  readonly form: string;
  readonly code: string;
  readonly fault: boolean;
}

function enterCodePage({ form, code, fault }: EnterCode, assets: PageAssets): string {
  const [action, xsrf] = [/action="([^"]*)"/.exec(form)?.[1] ?? '', /name="xsrf" value="([^"]*)"/.exec(form)?.[1] ?? ''];
  const message = 'This code is wrong, used or expired. Enter the code that your terminal shows now.';
  const main = `
      <h1>Sign in the command line</h1>
      <form method="post" action="${action}" class="stack" novalidate>
        <input type="hidden" name="xsrf" value="${xsrf}">
        <div class="field">
          <label class="field__label" for="user_code">Code</label>
          <p class="field__hint" id="user_code-hint">Your terminal shows it, for example BCDF-GHJK.</p>
          ${fault ? `<p class="field__error" id="user_code-error" role="alert">${message}</p>` : ''}
          <input class="input issuer__code" id="user_code" name="user_code" value="${escapeHtml(code)}" autocomplete="off" autocapitalize="characters"
            spellcheck="false" maxlength="20" aria-describedby="user_code-hint${fault ? ' user_code-error' : ''}"${fault ? ' aria-invalid="true"' : ''} autofocus>
        </div>
        <p><button class="button button--primary" type="submit">Continue</button></p>
      </form>`;
  return issuerPage(fault ? 'Error: Sign in the command line' : 'Sign in the command line', main, assets);
}

function confirmCodePage(form: string, code: string, assets: PageAssets): string {
  const main = `
      <h1>Compare the code</h1>
      <p>Does your terminal show this code?</p>
      <p class="issuer__code"><code>${escapeHtml(code)}</code></p>
      <p class="muted">Continue only if you started this sign-in yourself: the command line with this code will act as you. If somebody sent you the code, cancel.</p>
      ${form}
      <p class="button-row">
        <button class="button button--primary" type="submit" form="op.deviceConfirmForm" autofocus>Continue</button>
        <button class="button" type="submit" form="op.deviceConfirmForm" name="abort" value="yes">Cancel</button>
      </p>`;
  return issuerPage('Compare the code', main, assets);
}

function cancelledPage(assets: PageAssets): string {
  return noticePage('The sign-in is cancelled', 'The command line is not signed in. Close this page.', assets, 'the end');
}
