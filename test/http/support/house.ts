import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express, { type Express } from 'express';
import { createEmbeddedIssuer, type EmbeddedIssuer } from '../../../src/embedded/issuer/create-embedded-issuer.ts';
import { readForms } from '../../../src/http/body/read-form.ts';
import { readJson } from '../../../src/http/body/read-json.ts';
import { createApp } from '../../../src/http/create-app.ts';
import type { HttpDeps, UnavailableComponent } from '../../../src/http/http-deps.ts';
import { contextOf, signedInOf } from '../../../src/http/request-context.ts';
import { createIdentity, type Identity } from '../../../src/identity/create-identity.ts';
import { identitySettings, type IdentitySettings } from '../../../src/identity/identity-settings.ts';
import { sampleSeal } from '../../support/sample-seal.ts';
import { createStore } from '../../../src/store/create-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { CookieBrowser } from './cookie-browser.ts';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly keys: Readonly<Record<string, unknown>>;
}

/** A server with everything of the HTTP side real, and two small routers for pages and API. */
export interface House {
  readonly origin: string;
  readonly stateDir: string;
  readonly issuer: EmbeddedIssuer;
  readonly identity: Identity;
  readonly store: Store;
  readonly log: readonly LogLine[];
  /** Requests that reached the issuer, by path. */
  readonly issuerCalls: string[];
  /** Moves the clock of sessions; the issuer keeps the real one. */
  pass(milliseconds: number): void;
  /** Whether the issuer drops every connection. */
  setIssuerAway(away: 'away' | 'back'): void;
  browser(): CookieBrowser;
  close(): Promise<void>;
}

export interface HouseOptions {
  readonly settings?: Partial<IdentitySettings>;
  readonly http?: Partial<HttpDeps>;
  readonly issuerUnavailable?: 'away' | 'back';
}

export async function openHouse(options: HouseOptions = {}): Promise<House> {
  const stateDir = await mkdtemp(join(tmpdir(), 'chandlery-http-'));
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const publicUrl = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  let shift = 0;
  let away = options.issuerUnavailable === 'away';
  const clock = (): number => Date.now() + shift;
  const log: LogLine[] = [];
  const issuerCalls: string[] = [];
  const store = await createStore({ file: join(stateDir, 'store.json'), seal: sampleSeal(), clock });
  const issuer = await createEmbeddedIssuer({ publicUrl, stateDir });
  const { issuerUrl, clientId, clientSecret, scopes, ownCalls } = issuer;
  const callHeaders = { [ownCalls.header]: ownCalls.value };
  const settings = identitySettings({ publicUrl, issuer: issuerUrl, clientId, clientSecret, scopes, callHeaders, ...options.settings });
  const identity = createIdentity({ settings, ...store, seal: sampleSeal(1), clock });
  const write =
    (level: string) =>
    (message: string, keys: LogLine['keys'] = {}) =>
      void log.push({ level, message, keys });
  const app = createApp({
    publicUrl,
    log: { info: write('info'), warn: write('warn'), error: write('error') },
    identity,
    ready: () => absences(identity),
    ownCalls,
    issuer: express.Router().use((req, res, next) => {
      issuerCalls.push(req.path);
      if (away) res.destroy();
      else next();
    }, issuer.handler),
    assets: [],
    routers: [
      { path: '/api/v1', handler: apiRouter(), access: 'signed-in' },
      { path: '/public', handler: publicRouter(), access: 'anyone' },
      { path: '/', handler: pageRouter(), access: 'signed-in' },
    ],
    renderError: ({ status, title, message, action, code }) => JSON.stringify({ page: true, status, title, message, action, code }),
    ...options.http,
  });
  server.on('request', app);
  return {
    origin: publicUrl.origin,
    stateDir,
    issuer,
    identity,
    store,
    log,
    issuerCalls,
    pass: (milliseconds) => void (shift += milliseconds),
    setIssuerAway: (word) => void (away = word === 'away'),
    browser: () => new CookieBrowser(publicUrl),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await Promise.all([store.close(), issuer.close()]);
      await rm(stateDir, { recursive: true });
    },
  };
}

async function absences(identity: Identity): Promise<readonly UnavailableComponent[]> {
  const message = await identity.unavailableReason();
  return message === undefined ? [] : [{ component: 'issuer', message }];
}

function apiRouter(): express.Router {
  const router = express.Router();
  router.get('/me', (req, res) => {
    res.json({ ...signedInOf(res), headers: { ...req.headers }, raw: req.rawHeaders, requestId: contextOf(res).requestId });
  });
  const [json, forms] = [readJson(1024 * 1024, ['application/json', 'application/merge-patch+json']), readForms()];
  const read: express.RequestHandler = (req, res, next) => (typeof req.is(['json', '+json']) === 'string' ? json : forms)(req, res, next);
  router.post('/echo', read, (req, res) => {
    res.json({ body: req.body instanceof URLSearchParams ? [...req.body] : req.body });
  });
  router.get('/crash', () => {
    throw new Error('password=hunter2 at /srv/secret/path');
  });
  return router;
}

function publicRouter(): express.Router {
  const router = express.Router();
  router.get('/who', (_req, res) => {
    res.json({ user: contextOf(res).actor?.user ?? 'nobody' });
  });
  return router;
}

function pageRouter(): express.Router {
  const router = express.Router();
  router.get('/crash', () => {
    throw new Error('password=hunter2 at /srv/secret/path');
  });
  router.get(['/', '/apps', '/apps/:app'], (req, res) => {
    res.type('html').send(`hello ${signedInOf(res).person.name} at ${req.originalUrl}`);
  });
  router.post('/apps', readForms(), (req, res) => {
    res.json([...(req.body as URLSearchParams)]);
  });
  return router;
}

/** The app alone, for what needs no issuer. */
export type { Express };
