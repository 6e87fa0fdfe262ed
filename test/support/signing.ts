import { generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { execa } from 'execa';
import { generateKey, readPrivateKey } from 'openpgp';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { temporaryFolder, writeFiles, type ChartFiles } from './charts.ts';
import { OCI_MANIFEST, type TestRegistry } from './registry.ts';

const repoRoot = resolve(import.meta.dirname, '../..');

/** Somebody who signs charts with OpenPGP. */
export interface PgpSigner {
  readonly name: string;
  /** Armored. */
  readonly publicKey: string;
  /** The public key as `gpg --export` gives it. */
  readonly publicRing: Uint8Array;
  /** The private key as helm reads it. */
  readonly secretRing: Uint8Array;
  readonly fingerprint: string;
}

export async function createPgpSigner(name: string): Promise<PgpSigner> {
  const email = `${name.toLowerCase()}@example.com`;
  const { privateKey, publicKey } = await generateKey({ type: 'rsa', rsaBits: 2048, userIDs: [{ name, email }], format: 'object' });
  return {
    name,
    publicKey: publicKey.armor(),
    publicRing: publicKey.write(),
    secretRing: (await readPrivateKey({ armoredKey: privateKey.armor() })).write(),
    fingerprint: publicKey.getFingerprint().toUpperCase(),
  };
}

/** A chart that `helm package --sign` has packed, and its provenance. */
export interface SignedChart {
  readonly name: string;
  readonly version: string;
  readonly packed: Buffer;
  readonly provenance: string;
}

export async function packSigned(
  t: TestContext,
  { name, version, files }: { name: string; version: string; files: ChartFiles },
  signer: PgpSigner,
): Promise<SignedChart> {
  const { helm } = await loadTools(repoRoot);
  const folder = await temporaryFolder(t);
  await writeFiles(join(folder, name), files);
  await writeFiles(folder, { 'ring.gpg': Buffer.from(signer.secretRing) });
  const options = ['--sign', '--key', signer.name, '--keyring', 'ring.gpg', '--destination', 'out'];
  await execa(helm, ['package', name, ...options], { cwd: folder, env: { HOME: folder }, extendEnv: false });
  const archive = join(folder, 'out', `${name}-${version}.tgz`);
  return { name, version, packed: await readFile(archive), provenance: await readFile(`${archive}.prov`, 'utf8') };
}

/** Pushes a chart, and its provenance if there is one, with helm; gives the digest of the manifest, as helm prints it. */
export async function pushChart(
  t: TestContext,
  registry: TestRegistry,
  chart: Omit<SignedChart, 'provenance'> & { readonly provenance?: string },
): Promise<string> {
  const { helm } = await loadTools(repoRoot);
  const folder = await temporaryFolder(t);
  const archive = `${chart.name}-${chart.version}.tgz`;
  await writeFiles(folder, {
    [archive]: chart.packed,
    'ca.crt': registry.authority,
    ...(chart.provenance === undefined ? {} : { [`${archive}.prov`]: chart.provenance }),
  });
  const flags = ['--ca-file', join(folder, 'ca.crt')];
  const { all } = await execa(helm, ['push', archive, `oci://${registry.host}/team`, ...flags], {
    cwd: folder,
    env: { HOME: folder },
    extendEnv: false,
    all: true,
  });
  return /Digest: (sha256:[0-9a-f]{64})/.exec(all)?.[1] ?? '';
}

/** Somebody who signs as cosign does. */
export interface CosignSigner {
  /** PEM. */
  readonly publicKey: string;
  readonly sign: (content: Buffer) => Buffer;
}

export function createCosignSigner(type: 'ec' | 'ed25519' | 'rsa' = 'ec'): CosignSigner {
  const { publicKey, privateKey } = pairOf(type);
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: (content) => sign(type === 'ed25519' ? undefined : 'sha256', content, privateKey),
  };
}

function pairOf(type: 'ec' | 'ed25519' | 'rsa'): { publicKey: KeyObject; privateKey: KeyObject } {
  if (type === 'ec') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ed25519');
}

export interface CosignWish {
  readonly repository: string;
  /** The digest of the manifest that the signature is stored for. */
  readonly digest: string;
  /** The digest that is signed; the same unless a test lies. */
  readonly about?: string;
}

/** Stores a signature in the registry as cosign did until version 2: a payload under the tag `sha256-<hex>.sig`. */
export function signByTag(registry: TestRegistry, signer: CosignSigner, { repository, digest, about = digest }: CosignWish): void {
  const payload = Buffer.from(
    JSON.stringify({
      critical: {
        identity: { 'docker-reference': `${registry.host}/${repository}` },
        image: { 'docker-manifest-digest': about },
        type: 'cosign container image signature',
      },
      optional: null,
    }),
  );
  const layer = {
    mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json',
    size: payload.length,
    digest: registry.putBlob(payload),
    annotations: { 'dev.cosignproject.cosign/signature': signer.sign(payload).toString('base64') },
  };
  const config = { mediaType: 'application/vnd.oci.image.config.v1+json', size: 2, digest: registry.putBlob('{}') };
  registry.putManifest(repository, `${digest.replace(':', '-')}.sig`, {
    schemaVersion: 2,
    mediaType: OCI_MANIFEST,
    config,
    layers: [layer],
  });
}

const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json';

/** Stores a signature in the registry as cosign does since version 3: a bundle with a DSSE envelope that refers to the manifest. */
export function signByBundle(
  registry: TestRegistry,
  signer: CosignSigner,
  {
    repository,
    digest,
    about = digest,
    predicateType = 'https://sigstore.dev/cosign/sign/v1',
  }: CosignWish & { readonly predicateType?: string },
): void {
  const payloadType = 'application/vnd.in-toto+json';
  const payload = Buffer.from(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ digest: { sha256: about.replace('sha256:', '') } }],
      predicateType,
      predicate: {},
    }),
  );
  const encoded = Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `), payload]);
  const bundle = JSON.stringify({
    mediaType: BUNDLE,
    verificationMaterial: { publicKey: { hint: 'a' } },
    dsseEnvelope: { payload: payload.toString('base64'), payloadType, signatures: [{ sig: signer.sign(encoded).toString('base64') }] },
  });
  const empty = { mediaType: 'application/vnd.oci.empty.v1+json', size: 2, digest: registry.putBlob('{}') };
  const reference = registry.putManifest(repository, `bundle-${registry.blobs.size}`, {
    schemaVersion: 2,
    mediaType: OCI_MANIFEST,
    artifactType: BUNDLE,
    config: empty,
    layers: [{ mediaType: BUNDLE, size: bundle.length, digest: registry.putBlob(bundle) }],
    subject: { mediaType: OCI_MANIFEST, digest, size: 1 },
  });
  // For registries that do not serve referrers.
  const index = { schemaVersion: 2, manifests: [{ mediaType: OCI_MANIFEST, artifactType: BUNDLE, digest: reference, size: 1 }] };
  if (registry.options.referrers === 'Missing') registry.putManifest(repository, digest.replace(':', '-'), index);
}
