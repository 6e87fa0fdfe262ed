import type { RequestHandler } from 'express';
import type { Log } from '../observe/log.ts';
import type { IdentityPort } from './identity-port.ts';
import type { MessageView } from './message-view.ts';

/** What the answering of requests logs. */
export type HttpLog = Pick<Log, 'info' | 'warn' | 'error'>;

/** A component that does not answer, with the reason for `/readyz`. */
export interface UnavailableComponent {
  readonly component: 'cluster' | 'issuer';
  readonly message: string;
}

/** The metrics as text, and its media type. */
export interface MetricsText {
  readonly contentType: string;
  readonly body: string;
}

/** What the metrics want to know of an answer. */
export interface ResponseSample {
  readonly method: string;
  /** The pattern of the route, never the address itself: its values are few. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export interface MountedRouter {
  readonly path: string;
  readonly handler: RequestHandler;
  /** `signed-in` sends everybody else to the sign-in, or answers 401 to programs. */
  readonly access: 'anyone' | 'signed-in';
}

/** Requests a minute. */
export interface RateLimits {
  /** Of one person; of nobody who is known, from one address. */
  readonly all: number;
  /** Sign-ins from one address. */
  readonly signIn: number;
}

export interface HttpDeps {
  /** The address that people and the issuer know us by; its origin is the only one that may send forms. */
  readonly publicUrl: URL;
  /** Host names that we answer to besides that of the public URL. */
  readonly otherHosts?: readonly string[];
  readonly log: HttpLog;
  readonly identity: IdentityPort;
  /** The components that do not answer. */
  ready(): Promise<readonly UnavailableComponent[]>;
  /** What `/metrics` answers; absent where it has a port of its own. */
  metrics?(): Promise<MetricsText>;
  observe?(sample: ResponseSample): void;
  /** The embedded issuer; it reads its own bodies. */
  readonly issuer?: RequestHandler;
  /** Files that anyone may have; no session is looked up for them. */
  readonly assets: readonly { readonly path: string; readonly handler: RequestHandler }[];
  /** In the order they are asked. */
  readonly routers: readonly MountedRouter[];
  renderError(view: MessageView): string | Promise<string>;
  readonly rateLimits?: RateLimits;
  /** A header that only calls of our own have; they are not counted. */
  readonly ownCalls?: { readonly header: string; readonly value: string };
  /** Proxies before us whose X-Forwarded-For is believed. */
  readonly trustedProxies?: number;
  newRequestId?(): string;
}
