import type { RequestHandler } from 'express';
import type { Log } from '../observe/log.ts';
import type { Person, SignedIn } from '../domain/core/session.ts';
import type { ControllerStatus } from '../domain/kubernetes/controller-status.ts';
import type { Actor } from '../domain/kubernetes/actor.ts';
import type { ErrorCode, FieldFault, MissingPermission } from '../domain/core/errors.ts';

/** What the answering of requests logs. */
export type HttpLog = Pick<Log, 'info' | 'warn' | 'error'>;

/** A component that does not answer, with the reason for `/readyz`. */
export interface UnavailableComponent {
  readonly component: 'cluster' | 'issuer' | 'database';
  readonly message: string;
}

/** The api-server's answer about the account of a bearer token: whether it may get the path `/metrics`. */
export type ScrapeAccess = 'Allowed' | 'Forbidden' | 'Unauthenticated';

/** The metrics as text, and its media type. */
export interface MetricsText {
  readonly contentType: string;
  readonly body: string;
}

/** What the metrics want to know of an answer. */
interface ResponseSample {
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
interface RateLimits {
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
  /** What the process does about the controllers; undefined where it runs none. */
  controllerStatus?(): ControllerStatus | undefined;
  /** What `/metrics` answers; absent where it has a port of its own. */
  metrics?(): Promise<MetricsText>;
  /** Whether the account of a bearer token may read the metrics. */
  scrapeAccess?(token: string): Promise<ScrapeAccess>;
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

/** A sign-in that begins: where the browser goes, and the sealed cookie that it must bring back. */
interface LoginStart {
  readonly redirect: URL;
  /** Names the transaction, so that several tabs can sign in at once. */
  readonly state: string;
  /** What only this server can read. */
  readonly sealed: string;
  readonly maxAgeSeconds: number;
}

/** What the browser brings back from the issuer. */
interface LoginAnswer {
  /** The parameters of the callback address. */
  readonly parameters: URLSearchParams;
  /** The sealed transaction of the state, when the browser still has it. */
  readonly sealed: string | undefined;
  /** The session that the browser had before; it ends. */
  readonly previousSession: string | undefined;
}

interface LoginEnd {
  /** The secret that the session cookie carries. */
  readonly session: string;
  readonly returnTo: string;
  readonly maxAgeSeconds: number;
}

/** What the routes need of the identity part. Everything that fails throws AppError `Unauthenticated` or `IssuerUnavailable`. */
export interface IdentityPort {
  /** @param returnTo a path of ours, already checked. */
  beginLogin(returnTo: string): Promise<LoginStart>;
  finishLogin(answer: LoginAnswer): Promise<LoginEnd>;
  /** Who a session cookie stands for; undefined when the session has ended. */
  signedInBySession(session: string): Promise<SignedIn | undefined>;
  /** As `signedInBySession`, but it does not count as a request: the session ends idle as if nobody had asked. */
  peekSession(session: string): Promise<SignedIn | undefined>;
  /** Who a bearer token stands for. */
  signedInByToken(token: string): Promise<SignedIn>;
  /** Ends the session here; the answer is where the issuer ends its own, when it can. */
  logout(session: string): Promise<URL | undefined>;
  /** Ends the sessions that a logout token of the issuer names. */
  backchannelLogout(logoutToken: string): Promise<void>;
  /** Origins outside ours that a form may end up at: the issuer's logout. */
  formTargets(): readonly string[];
}

/** A page that says one thing: an error, or that somebody is signed out. Plain data for the template. */
export interface MessageView {
  readonly status: number;
  /** Absent when the page tells of no error. */
  readonly code?: ErrorCode;
  readonly title: string;
  readonly message: string;
  readonly faults: readonly FieldFault[];
  readonly missing?: MissingPermission;
  /** The one thing to do next. */
  readonly action?: { readonly label: string; readonly href: string };
  readonly requestId: string;
  /** Absent while nobody is signed in. */
  readonly actor?: Actor;
  readonly person?: Person;
}
