import { randomUUID } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import { AppError } from '../../domain/core/errors.ts';
import { CLUSTER_AUDIENCE } from '../cluster/cluster-issuer.ts';
import { claimsOf, DEMO_PEOPLE, requireDemoPerson, type DemoPerson } from './demo-people.ts';
import { readNames, readSecrets } from './issuer-secrets.ts';

const LIFETIME_SECONDS = 3600;

interface MintRequest {
  /** The state folder of the `npm start` that runs, or ran, the issuer. */
  readonly stateDir: string;
  /** The user name of a demo person. */
  readonly name: string;
  readonly people?: readonly DemoPerson[];
  readonly clock?: () => number;
}

/**
 * A bearer token for a demo person, good for an hour: a JWT access token (RFC 9068) as the embedded issuer itself signs them, for our API and, where there is
 * one, the embedded api-server. Needs only the state folder, not the server.
 *
 * @throws AppError `InvalidInput` for somebody unknown, `ConfigInvalid` when the folder holds no embedded issuer.
 */
export async function mintDemoToken({ stateDir, name, people = DEMO_PEOPLE, clock = Date.now }: MintRequest): Promise<string> {
  const person = requireDemoPerson(name, people);
  const [secrets, names] = [await readSecrets(stateDir), await readNames(stateDir)];
  if (secrets === undefined || names === undefined) {
    throw new AppError(
      'ConfigInvalid',
      `token: ${stateDir} holds no embedded identity provider; start Chandlery with this state folder first`,
    );
  }
  const now = Math.floor(clock() / 1000);
  return new SignJWT({ ...claimsOf(person), client_id: 'chandlery-token' })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: secrets.signingKey.kid ?? '' })
    .setIssuer(names.clusterIssuer ?? names.issuer)
    .setAudience(names.clusterIssuer === undefined ? names.audience : [names.audience, CLUSTER_AUDIENCE])
    .setJti(randomUUID())
    .setIssuedAt(now)
    .setExpirationTime(now + LIFETIME_SECONDS)
    .sign(await importJWK(secrets.signingKey, 'RS256'));
}
