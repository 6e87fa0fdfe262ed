import { Agent, request } from 'undici';
import { AppError } from '../../domain/errors.ts';
import type { KubeObject } from '../../domain/resource.ts';
import type { Pki } from './pki.ts';

/**
 * The few calls that bring a cluster up before anything else can use it, made with the administrator's certificate. Everything later goes
 * through the guarded transport in `kube/`.
 */
export class AdminClient {
  readonly #server: string;
  readonly #agent: Agent;

  constructor(server: string, pki: Pki) {
    this.#server = server;
    const { certificate: cert, key } = pki.admin;
    this.#agent = new Agent({ connect: { ca: pki['cluster-ca'].certificate, cert, key }, headersTimeout: 10_000, bodyTimeout: 10_000 });
  }

  /** Whether the api-server answers that it is ready. */
  async isReady(signal: AbortSignal): Promise<boolean> {
    try {
      const { statusCode } = await this.#call('GET', '/readyz', { signal });
      return statusCode === 200;
    } catch {
      return false;
    }
  }

  /** Server-side apply of an object at the path of its collection. */
  async apply(collection: string, object: KubeObject, signal: AbortSignal): Promise<void> {
    const path = `${collection}/${object.metadata.name}?fieldManager=chandlery-embedded&force=true`;
    const { statusCode, body } = await this.#call('PATCH', path, { signal, object, contentType: 'application/apply-patch+yaml' });
    if (statusCode >= 300) throw failure(`${object.kind} "${object.metadata.name}"`, statusCode, body);
  }

  /** A token of a service account (TokenRequest), valid for `seconds`. */
  async requestToken(
    namespace: string,
    account: string,
    { seconds, signal }: { seconds: number; signal: AbortSignal },
  ): Promise<ServiceAccountToken> {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${encodeURIComponent(account)}/token`;
    const object = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: seconds } };
    const { statusCode, body } = await this.#call('POST', path, { signal, object, contentType: 'application/json' });
    if (statusCode >= 300) throw failure(`service account "${namespace}/${account}"`, statusCode, body);
    const { status } = JSON.parse(body) as { status: { token: string; expirationTimestamp: string } };
    return { token: status.token, expires: new Date(status.expirationTimestamp) };
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #call(
    method: 'GET' | 'PATCH' | 'POST',
    path: string,
    { signal, object, contentType }: Call,
  ): Promise<{ statusCode: number; body: string }> {
    const response = await request(`${this.#server}${path}`, {
      method,
      signal,
      dispatcher: this.#agent,
      ...(object === undefined ? {} : { body: JSON.stringify(object), headers: { 'content-type': contentType } }),
    });
    return { statusCode: response.statusCode, body: await response.body.text() };
  }
}

/** A bearer token and the moment after which it is worthless. */
export interface ServiceAccountToken {
  readonly token: string;
  readonly expires: Date;
}

interface Call {
  readonly signal: AbortSignal;
  readonly object?: object;
  readonly contentType?: string;
}

function failure(what: string, status: number, body: string): AppError {
  return new AppError(
    status === 404 ? 'NotFound' : 'ClusterUnavailable',
    `embedded cluster: ${what}: the api-server answers ${status}: ${body.slice(0, 500)}`,
  );
}
