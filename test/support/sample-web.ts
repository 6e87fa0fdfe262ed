import { createServer, type Server } from 'node:http';
import path from 'node:path';
import type { SignedIn } from '../../src/domain/core/session.ts';
import { createApp } from '../../src/http/create-app.ts';
import type { IdentityPort } from '../../src/http/http-deps.ts';
import { readAssets } from '../../src/web/page/assets.ts';
import type { Operations } from '../../src/operation/operations.ts';
import { createLiveStreams } from '../../src/web/live/live-streams.ts';
import { createFormSeal } from '../../src/web/page/sealed-inputs.ts';
import { sampleSeal } from './sample-seal.ts';
import { createRenderError, createWebRouter } from '../../src/web/router.ts';
import { createViews, type Views } from '../../src/web/page/view-engine.ts';
import { sampleOperations } from './sample-operations.ts';

const VIEWS = path.join(import.meta.dirname, '../../views');
const PUBLIC_URL = new URL('http://localhost:8080');

export interface SampleWeb {
  readonly url: string;
  /** Ends the sessions of everybody. */
  signOutAll(): void;
  stop(): Promise<void>;
}

/** The sessions of the sample server: the value of the cookie `chandlery`. */
const SAMPLE_PEOPLE: Readonly<Record<string, SignedIn>> = {
  'dev-a': { actor: { user: 'oidc:dev-a', groups: ['oidc:team-a'] }, person: { name: 'Dana Able' } },
  admin: { actor: { user: 'oidc:admin', groups: ['oidc:platform'] }, person: { name: 'Ada Min' } },
};

const assets = readAssets(path.join(VIEWS, 'static'));
let views: Views | undefined;

/** The views with a clock that stands still, for all servers of a process: to compile them takes longer than most tests. */
export function sampleViews(): Views {
  views ??= createViews(VIEWS, { asset: assets.url, now: () => Date.parse('2026-11-21T12:00:00Z') });
  return views;
}

/** Serves the pages over the sample operations, behind the real HTTP side, on a free port. */
export async function startSampleWeb(overrides: Partial<Operations> = {}): Promise<SampleWeb> {
  const pages = sampleViews();
  const operations = sampleOperations(overrides);
  const stopping = new AbortController();
  const people = new Map(Object.entries(SAMPLE_PEOPLE));
  const app = createApp({
    publicUrl: PUBLIC_URL,
    log: { info: () => undefined, warn: () => undefined, error: (message, keys) => console.error(message, keys) },
    identity: sampleIdentity(people),
    ready: async () => [],
    assets: [{ path: '/', handler: assets.router }],
    routers: [
      {
        path: '/',
        access: 'anyone',
        handler: createWebRouter({
          operations,
          views: pages,
          streams: createLiveStreams(stopping.signal),
          pictures: () => Promise.resolve(undefined),
          publicUrl: PUBLIC_URL.origin,
          seal: createFormSeal(sampleSeal(), Date.now),
        }),
      },
    ],
    renderError: createRenderError({ views: pages, operations }),
  });
  const server = createServer(app);
  const port = await listen(server);
  return {
    url: `http://localhost:${port}`,
    signOutAll: () => people.clear(),
    stop: async () => {
      stopping.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(Number(process.env.SAMPLE_PORT ?? 0), '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('sample server: it has no port');
  return address.port;
}

function sampleIdentity(people: ReadonlyMap<string, SignedIn>): IdentityPort {
  const reject = async (): Promise<never> => Promise.reject(new Error('sample identity: people sign in by a cookie here'));
  return {
    beginLogin: reject,
    finishLogin: reject,
    signedInBySession: async (session) => people.get(session),
    peekSession: async (session) => people.get(session),
    signedInByToken: reject,
    logout: async () => undefined,
    backchannelLogout: reject,
    formTargets: () => [],
  };
}
