import type { CiJob } from '../environment/job-deployment.ts';
import type { Actor } from '../kubernetes/actor.ts';

/** How people call somebody; never used to decide anything. */
export interface Person {
  readonly name: string;
  readonly email?: string;
}

/** Somebody who proved who they are: the actor toward the api-server, and the person for the page. */
export interface SignedIn {
  readonly actor: Actor;
  readonly person: Person;
  /** The `sub` at the issuer where people sign in; absent for tokens of other issuers, such as CI jobs', and for personal access tokens. */
  readonly subject?: string;
  /** Of a token of a CI job. */
  readonly ciJob?: CiJob;
}

/** A session as the server keeps it. Times are milliseconds since 1970. The tokens never leave the server. */
export interface SessionRecord extends SignedIn {
  /** The issuer's `sub`: what a back-channel logout names. */
  readonly subject: string;
  /** The issuer's `sid`, when it tells one. */
  readonly issuerSession?: string;
  /** Kept only for an issuer that wants to see it at sign-out. */
  readonly idToken?: string;
  /** What the api-server takes from this person, where calls carry it instead of impersonating them. */
  readonly userToken?: string;
  readonly refreshToken?: string;
  /** From when on the tokens are to be renewed; absent when there is nothing to renew them with. */
  readonly refreshAt?: number;
  readonly createdAt: number;
  readonly seenAt: number;
  /** The end of the session, whatever happens. */
  readonly expiresAt: number;
}
