import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { serveHttps } from './charts.ts';
import { elapse } from './elapse.ts';

/** How the registry knows people: not at all, by their password with each request, or by a token that is had for the password. */
export type RegistryLogin =
  | { readonly kind: 'Open' }
  | { readonly kind: 'Basic' | 'Token'; readonly username: string; readonly password: string }
  | { readonly kind: 'Bearer'; readonly token: string };

export interface RegistryOptions {
  login?: RegistryLogin;
  /** Tags on one page of the list. */
  tagsPerPage?: number;
  /** The origin that the links to further pages name. */
  pagesAt?: string;
  /** Where the token is to be had; the registry itself unless it says so. */
  realm?: string;
  /** Blobs are redirected there, as those of public registries are. */
  blobStore?: { readonly address: string };
  /** Milliseconds before each answer. */
  delayMs?: number;
  /** Whether it answers `referrers/`; many do not. */
  referrers?: 'Served' | 'Missing';
}

/** One request: `GET /v2/a/manifests/1 Bearer …`. */
export interface TestRegistry {
  readonly host: string;
  readonly authority: string;
  /** May be changed while it runs. */
  readonly options: RegistryOptions;
  readonly asked: string[];
  readonly blobs: ReadonlyMap<string, Buffer>;
  /** Stores a blob without asking who does. */
  putBlob(content: Buffer | string): string;
  /** Stores a manifest under a tag, and under its digest, which it gives. */
  putManifest(repository: string, tag: string, manifest: object): string;
  manifest(repository: string, reference: string): Buffer | undefined;
}

interface Stored {
  readonly type: string;
  readonly content: Buffer;
}

/**
 * A registry by the OCI distribution specification 1.1, in memory and by https, that people can push to (`helm push`) and pull from. It goes with the test.
 */
export async function serveRegistry(t: TestContext, options: RegistryOptions = {}): Promise<TestRegistry> {
  const blobs = new Map<string, Buffer>();
  const manifests = new Map<string, Stored>();
  const asked: string[] = [];
  const token = randomUUID();
  const put = (repository: string, tag: string, stored: Stored): string => {
    const digest = digestOf(stored.content);
    manifests.set(`${repository} ${tag}`, stored);
    manifests.set(`${repository} ${digest}`, stored);
    return digest;
  };
  const site = await serveHttps(t, (request, response) => {
    const { method = 'GET', url = '' } = request;
    asked.push(`${method} ${url} ${request.headers.authorization ?? 'without credentials'}`);
    void answer({ request, response, options, blobs, manifests, token, put }).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  return {
    host: new URL(site.address).host,
    authority: site.authority,
    options,
    asked,
    blobs,
    putBlob: (content) => {
      const bytes = Buffer.from(content);
      blobs.set(digestOf(bytes), bytes);
      return digestOf(bytes);
    },
    putManifest: (repository, tag, manifest) => put(repository, tag, { type: OCI_MANIFEST, content: Buffer.from(stringifyJson(manifest)) }),
    manifest: (repository, reference) => manifests.get(`${repository} ${reference}`)?.content,
  };
}

export const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly options: RegistryOptions;
  readonly blobs: Map<string, Buffer>;
  readonly manifests: Map<string, Stored>;
  readonly token: string;
  readonly put: (repository: string, tag: string, stored: Stored) => string;
}

async function answer(asked: Asked): Promise<void> {
  const { request, response, options } = asked;
  if (options.delayMs !== undefined) await elapse(options.delayMs);
  const url = new URL(request.url ?? '', 'https://registry');
  if (url.pathname === '/token') return giveToken(asked);
  if (!isLetIn(asked)) return challenge(asked, url);
  if (url.pathname === '/v2/') {
    response.end('{}');
    return;
  }
  const [, repository = '', kind = '', reference = ''] =
    /^\/v2\/(.+?)\/(blobs\/uploads|blobs|manifests|tags|referrers)\/(.*)$/.exec(url.pathname) ?? [];
  switch (kind) {
    case 'blobs/uploads':
      return upload(asked, { repository, id: reference, digest: url.searchParams.get('digest') });
    case 'blobs':
      return sendBlob(asked, reference);
    case 'manifests':
      return request.method === 'PUT' ? storeManifest(asked, repository, reference) : sendManifest(asked, repository, reference);
    case 'tags':
      return listTags(asked, repository, url);
    case 'referrers':
      return listReferrers(asked, repository, reference);
    default:
      response.writeHead(404).end('{}');
  }
}

function isLetIn({ request, options: { login = { kind: 'Open' } }, token }: Asked): boolean {
  const given = request.headers.authorization;
  switch (login.kind) {
    case 'Open':
      return true;
    case 'Basic':
      return given === basic(login);
    case 'Token':
      return given === `Bearer ${token}`;
    case 'Bearer':
      return given === `Bearer ${login.token}`;
    default:
      return login satisfies never;
  }
}

function challenge({ request, response, options: { login, realm } }: Asked, url: URL): void {
  const [, repository = 'none'] = /^\/v2\/(.+?)\/(?:blobs|manifests|tags|referrers)\//.exec(url.pathname) ?? [];
  const header =
    login?.kind === 'Basic'
      ? 'Basic realm="charts"'
      : `Bearer realm="${realm ?? `https://${request.headers.host}/token`}",service="charts",scope="repository:${repository}:pull"`;
  response.writeHead(401, { 'www-authenticate': header, 'content-type': 'application/json' }).end('{"errors":[]}');
}

function giveToken({ request, response, options: { login }, token }: Asked): void {
  if (login?.kind !== 'Token' || request.headers.authorization !== basic(login)) response.writeHead(401).end('{}');
  else response.end(JSON.stringify({ token, expires_in: 300 }));
}

async function upload(asked: Asked, { repository, id, digest }: { repository: string; id: string; digest: string | null }): Promise<void> {
  const { request, response, blobs } = asked;
  if (request.method === 'POST') {
    response.writeHead(202, { location: `/v2/${repository}/blobs/uploads/${randomUUID()}` }).end();
    return;
  }
  const content = await buffer(request);
  if (request.method === 'PUT' && digest === digestOf(content) && id !== '') {
    blobs.set(digest, content);
    response.writeHead(201, { location: `/v2/${repository}/blobs/${digest}`, 'docker-content-digest': digest }).end();
    return;
  }
  response.writeHead(400).end('{}');
}

function sendBlob({ request, response, blobs, options: { blobStore } }: Asked, digest: string): void {
  const content = blobs.get(digest);
  if (content === undefined) response.writeHead(404).end('{}');
  else if (request.method === 'HEAD') response.writeHead(200, { 'content-length': content.length }).end();
  else if (blobStore !== undefined) response.writeHead(307, { location: `${blobStore.address}/${digest}` }).end();
  else response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': content.length }).end(content);
}

async function storeManifest({ request, response, put }: Asked, repository: string, reference: string): Promise<void> {
  const content = await buffer(request);
  const digest = put(repository, reference, { type: request.headers['content-type'] ?? OCI_MANIFEST, content });
  response.writeHead(201, { location: `/v2/${repository}/manifests/${digest}`, 'docker-content-digest': digest }).end();
}

function sendManifest({ request, response, manifests }: Asked, repository: string, reference: string): void {
  const stored = manifests.get(`${repository} ${reference}`);
  if (stored === undefined) {
    response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
    return;
  }
  const headers = {
    'content-type': stored.type,
    'content-length': stored.content.length,
    'docker-content-digest': digestOf(stored.content),
  };
  response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : stored.content);
}

function listTags({ response, manifests, options: { tagsPerPage = 1000, pagesAt = '' } }: Asked, repository: string, url: URL): void {
  const all = [...manifests.keys()].filter((key) => key.startsWith(`${repository} `)).map((key) => key.slice(repository.length + 1));
  const tags = all.filter((tag) => !tag.startsWith('sha256:')).sort();
  const rest = tags.filter((tag) => tag > (url.searchParams.get('last') ?? ''));
  const page = rest.slice(0, tagsPerPage);
  const more = rest.length > page.length;
  const link = `<${pagesAt}/v2/${repository}/tags/list?n=${tagsPerPage}&last=${encodeURIComponent(page.at(-1) ?? '')}>; rel="next"`;
  response
    .writeHead(200, { 'content-type': 'application/json', ...(more ? { link } : {}) })
    .end(JSON.stringify({ name: repository, tags: page }));
}

function listReferrers({ response, manifests, options: { referrers = 'Served' } }: Asked, repository: string, digest: string): void {
  if (referrers === 'Missing') {
    response.writeHead(404).end('404 page not found');
    return;
  }
  const found = [...manifests].flatMap(([key, { content }]) => {
    const fields = JSON.parse(content.toString()) as { subject?: { digest?: string }; artifactType?: string };
    const isOne = key.startsWith(`${repository} sha256:`) && fields.subject?.digest === digest;
    return isOne ? [{ mediaType: OCI_MANIFEST, digest: digestOf(content), size: content.length, artifactType: fields.artifactType }] : [];
  });
  response.writeHead(200, { 'content-type': OCI_INDEX }).end(JSON.stringify({ schemaVersion: 2, mediaType: OCI_INDEX, manifests: found }));
}

function basic({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function digestOf(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
