import type { SignedIn } from '../domain/core/session.ts';

/** A sign-in that begins: where the browser goes, and the sealed cookie that it must bring back. */
export interface LoginStart {
  readonly redirect: URL;
  /** Names the transaction, so that several tabs can sign in at once. */
  readonly state: string;
  /** What only this server can read. */
  readonly sealed: string;
  readonly maxAgeSeconds: number;
}

/** What the browser brings back from the issuer. */
export interface LoginAnswer {
  /** The parameters of the callback address. */
  readonly parameters: URLSearchParams;
  /** The sealed transaction of the state, when the browser still has it. */
  readonly sealed: string | undefined;
  /** The session that the browser had before; it ends. */
  readonly previousSession: string | undefined;
}

export interface LoginEnd {
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
