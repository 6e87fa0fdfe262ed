import { join } from 'node:path';
import type { Express } from 'express';
import { createApiRouter } from '../api/router.ts';
import type { PictureLibrary } from '../chart/fetch/pictures.ts';
import type { EmbeddedIssuer } from '../embedded/issuer/create-embedded-issuer.ts';
import type { Config } from '../config.ts';
import { createApp } from '../http/create-app.ts';
import type { Absence } from '../http/http-deps.ts';
import { signedInOf } from '../http/request-context.ts';
import type { Identity } from '../identity/create-identity.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { bindOperations } from '../operation/operations.ts';
import type { Ports } from '../operation/ports.ts';
import type { Assets } from '../web/page/assets.ts';
import { createLiveStreams } from '../web/live/live-streams.ts';
import { createFormSeal } from '../web/page/sealed-inputs.ts';
import { createRenderError, createWebRouter } from '../web/router.ts';
import { createViews } from '../web/page/view-engine.ts';

export interface AppInput {
  readonly config: Pick<Config, 'trustedProxies' | 'otherHosts' | 'metricsPort'>;
  readonly repoRoot: string;
  readonly publicUrl: URL;
  readonly ports: Ports;
  readonly identity: Identity;
  readonly issuer?: EmbeddedIssuer;
  readonly assets: Assets;
  readonly pictures: PictureLibrary;
  /** 32 bytes that all replicas share: what pages carry on is sealed with them. */
  readonly sealKey: Uint8Array;
  readonly ready: () => Promise<readonly Absence[]>;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly stopping: AbortSignal;
}

/** The HTTP side of everything: the API and the pages over the same operations. */
export function buildApp({ repoRoot, publicUrl, ports, identity, issuer, assets, log, metrics, ...rest }: AppInput): Express {
  const { trustedProxies, otherHosts, metricsPort } = rest.config;
  const views = createViews(join(repoRoot, 'views'), { asset: assets.url, now: Date.now });
  const operations = bindOperations(ports);
  const web = createWebRouter({
    operations,
    views,
    streams: createLiveStreams(rest.stopping),
    pictures: rest.pictures.find,
    publicUrl: publicUrl.origin,
    seal: createFormSeal(rest.sealKey, Date.now),
    ...(issuer === undefined ? {} : { signInHint: 'This is a demo: choose one of three people on the next page. No password is needed.' }),
  });
  const api = createApiRouter({ operations, publicUrl: ports.publicUrl, actorOf: (res) => signedInOf(res).actor });
  return createApp({
    publicUrl,
    log: { ...log, info: log.debug },
    identity,
    ready: rest.ready,
    ...(metricsPort === undefined ? { metrics: metrics.text } : {}),
    observe: ({ seconds, ...answer }) => metrics.httpAnswered(answer, seconds),
    ...(issuer === undefined ? {} : { issuer: issuer.handler, ownCalls: issuer.ownCalls }),
    assets: [{ path: '/', handler: assets.router }],
    routers: [
      { path: '/api/v1', handler: api, access: 'anyone' },
      { path: '/', handler: web, access: 'anyone' },
    ],
    renderError: createRenderError({ views, operations }),
    trustedProxies,
    otherHosts,
  });
}
