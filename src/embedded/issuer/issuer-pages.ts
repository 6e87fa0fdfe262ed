import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { type Configuration, errors, type InteractionResults, type Provider } from 'oidc-provider';
import { CLI_CLIENT_ID } from './cli-client.ts';
import type { DemoPerson } from './demo-people.ts';

/** Addresses of the product's own files that the pages use. */
export interface PageAssets {
  readonly stylesheet: string;
}

/** Served whatever the folder is called; only today's has a lasting address. */
const ICON = '/static/issuer/favicon.svg';

/** Who asks for the sign-in. */
type SignInClient = 'pages' | 'command line';

interface Choice {
  readonly people: readonly DemoPerson[];
  readonly client: SignInClient;
  readonly action: string;
}

/** The page on which one of the demo people is chosen: one button each, no password. */
function choosePersonPage({ people, client, action }: Choice, assets: PageAssets): string {
  const choices = people.map(
    (person) => `
        <li>
          <button class="button person" type="submit" name="person" value="${escapeHtml(person.name)}">
            <span class="person__name">${escapeHtml(person.displayName)}</span>
            <span class="person__role">${escapeHtml(person.role)}</span>
            <span class="person__user">${escapeHtml(person.name)}</span>
          </button>
        </li>`,
  );
  const main = `
      <h1>${TITLES[client]}</h1>
      ${client === 'pages' ? '' : '<p>The Chandlery command line and kubectl then act as this person on this machine, until you run <code>chandlery logout</code>.</p>'}
      <p class="muted">These people exist for the demo only, and have no passwords. An installation for real people asks your own identity provider instead.</p>
      <form method="post" action="${escapeHtml(action)}" class="stack">
        <ul class="people">${choices.join('')}
        </ul>
        <p><button class="button" type="submit" name="person" value="">Cancel</button></p>
      </form>`;
  return issuerPage(TITLES[client], main, assets);
}

const TITLES: Readonly<Record<SignInClient, string>> = { pages: 'Sign in as', 'command line': 'Sign in the command line as' };

/**
 * The page that asks before the issuer's own session ends.
 *
 * @param form oidc-provider's, without a button.
 * @param confirmed `by our client` when the browser need not ask the person again.
 */
export function signOutPage(form: string, confirmed: 'by our client' | 'by nobody', assets: PageAssets): string {
  const main = `
      <h1>Sign out</h1>
      <p class="muted">Your session at Chandlery has ended. Sign out of the demo identity provider too?</p>
      ${form}
      <p class="button-row">
        <button class="button button--primary" type="submit" form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>
        <button class="button" type="submit" form="op.logoutForm">Stay signed in there</button>
      </p>
      ${confirmed === 'by our client' ? `<script type="module" src="${SIGN_OUT_SCRIPT.path}"></script>` : ''}`;
  return issuerPage('Sign out', main, assets);
}

/** A page that says one thing and has one way on, or none. */
export function noticePage(title: string, message: string, assets: PageAssets, next: 'sign in' | 'the end' = 'sign in'): string {
  const main = `
      <h1>${escapeHtml(title)}</h1>
      <p class="muted">${escapeHtml(message)}</p>${next === 'sign in' ? '\n      <p><a class="button button--primary" href="/login">Sign in</a></p>' : ''}`;
  return issuerPage(title, main, assets);
}

/** Presses the button of the sign-out page; a module, so that it runs once the button is there. */
const SIGN_OUT_SCRIPT = { path: '/issuer/sign-out.js', text: `document.querySelector('button[value="yes"]').click();\n` };

/** A page of the issuer around its content. */
function issuerPage(title: string, main: string, { stylesheet }: PageAssets): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(title)} · Chandlery demo</title>
    <link rel="icon" href="${ICON}" type="image/svg+xml">
    <link rel="stylesheet" href="${escapeHtml(stylesheet)}">
  </head>
  <body>
    <main class="page issuer">
      <p class="issuer__brand"><img src="${ICON}" alt="" width="36" height="36"> Chandlery <span class="muted">demo identity provider</span></p>${main}
    </main>
  </body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

interface InteractionDeps {
  readonly provider: Provider;
  readonly people: readonly DemoPerson[];
  readonly assets: PageAssets;
}

/** The pages on which somebody signs in at the embedded issuer. oidc-provider ties them to the browser by a cookie of its own. */
export function interactionRoutes(deps: InteractionDeps): Router {
  const router = Router();
  router.get('/sign-out.js', (_req, res) => {
    res.type('text/javascript').set('Cache-Control', 'no-cache').send(SIGN_OUT_SCRIPT.text);
  });
  router.get('/interaction/:uid', (req, res) => ask(deps, req, res));
  router.post('/interaction/:uid', express.urlencoded({ extended: false, limit: '4kb' }), (req, res) => answer(deps, req, res));
  return router;
}

async function ask({ provider, people, assets }: InteractionDeps, req: Request, res: Response): Promise<void> {
  try {
    const { params } = await provider.interactionDetails(req, res);
    const client = params['client_id'] === CLI_CLIENT_ID ? 'command line' : 'pages';
    res.type('html').send(choosePersonPage({ people, client, action: req.originalUrl }, assets));
  } catch (error) {
    signInIsOver(error, res, assets);
  }
}

async function answer({ provider, people, assets }: InteractionDeps, req: Request, res: Response): Promise<void> {
  const person = people.find((candidate) => candidate.name === req.body?.person);
  const result: InteractionResults =
    person === undefined
      ? { error: 'access_denied', error_description: 'nobody was chosen' }
      : { login: { accountId: person.name, remember: true }, consent: {} };
  try {
    await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
  } catch (error) {
    signInIsOver(error, res, assets);
  }
}

function signInIsOver(error: unknown, res: Response, assets: PageAssets): void {
  if (!(error instanceof errors.SessionNotFound)) throw error;
  const message = 'It was finished already, or begun too long ago or in another browser.';
  res
    .status(400)
    .type('html')
    .send(noticePage('This sign-in is over', message, assets));
}

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
