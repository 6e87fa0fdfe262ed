import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { chartError } from '../chart-error.ts';
import { locate } from '../fetch/locate.ts';
import { openRegistryChart, type RegistryChart } from '../oci/registry-chart.ts';
import { DIGEST, IMAGE_INDEX, IMAGE_MANIFEST, type Manifest, type Registry } from '../oci/registry.ts';
import type { SignatureCheck, Signer } from './signature-check.ts';
import type { ChartVerification } from '../../domain/chart/chart-access.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { at, listAt, textAt } from '../../domain/core/read.ts';

/** A manifest, and the registry that has its signatures. */
type SignedManifest = Pick<RegistryChart, 'registry' | 'manifest'>;

/** A public key that cosign signs with. */
interface SigningKey {
  readonly key: KeyObject;
  /** The key of the Secret that holds it. */
  readonly name: string;
  /** SHA-256 of its SubjectPublicKeyInfo, in hexadecimal. */
  readonly fingerprint: string;
}

interface Signed {
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** Cosign takes SHA-256 with every curve; newer versions take the hash that fits it. */
const MORE_HASHES: ReadonlyMap<string | undefined, string> = new Map([
  ['secp384r1', 'sha384'],
  ['secp521r1', 'sha512'],
]);

const PAYLOAD_TYPE = 'application/vnd.dev.cosign.simplesigning.v1+json';
const SIGNATURE = 'dev.cosignproject.cosign/signature';
const PAYLOAD_BYTES = 64 * 1024;
const BUNDLE_BYTES = 1024 * 1024;
const MAX_SIGNATURES = 50;

/** The media types of bundles, which cosign writes since version 3. */
const BUNDLE_TYPE = /^application\/vnd\.dev\.sigstore\.bundle(\.v\d+\.\d+)?\+json/;
const IN_TOTO = 'application/vnd.in-toto+json';

/** Other statements, such as a list of parts, are signed with the same keys and say nothing about trust. */
const SIGNED_IMAGE = 'https://sigstore.dev/cosign/sign/v1';

/** Signed bytes, their signature, and the manifests that they are about. */
interface Statement {
  readonly signed: Buffer;
  readonly signature: Buffer;
  /** `sha256:<hex>` of manifests; read only when the signature holds. */
  readonly about: () => readonly string[];
}

/**
 * Checks the signatures that cosign keeps beside a chart in its registry: under the tag `sha256-<hex>.sig`, and as bundles that refer to the manifest. Only
 * public keys count: certificates of an identity provider, and the transparency log, are not looked at. Throws like `verifySignature`.
 */
export async function verifyCosign({ chart, verification, context }: SignatureCheck, signal: AbortSignal): Promise<Signer> {
  const { address } = chart;
  if (locate(address, context.locations).kind !== 'registry')
    throw chartError('ChartUnsigned', address, 'it has to be signed by cosign, which signs in registries only; use an oci repository');
  const found = await openRegistryChart(new URL(address), context, signal);
  if (found.digest !== chart.digest)
    throw chartError('DigestMismatch', address, 'the tag now has another chart in the registry; Chandlery retries');
  return await verifyManifest(found, { address, verification });
}

/** The same for a manifest of anything that is in a registry. */
export async function verifyManifest(
  found: SignedManifest,
  { address, verification }: { readonly address: string; readonly verification: ChartVerification },
): Promise<Signer> {
  const keys = readSigningKeys(verification);
  const wanted = found.manifest.digest;
  const others: string[] = [];
  let count = 0;
  for await (const statement of statementsAbout(found)) {
    count += 1;
    const key = signerOf(statement, keys);
    const about = key === undefined ? [] : statement.about();
    if (key !== undefined && about.includes(wanted)) return describeSigningKey(key);
    if (key !== undefined) others.push(...about);
  }
  if (count === 0)
    throw chartError(
      'ChartUnsigned',
      address,
      `it has to be signed, and the registry has no signature of cosign for its manifest ${wanted}`,
    );
  throw chartError('SignatureInvalid', address, reasonFor(keys, { source: verification.source, count, others, wanted }));
}

interface Reason {
  readonly source: string;
  readonly count: number;
  readonly others: readonly string[];
  readonly wanted: string;
}

function reasonFor(keys: readonly SigningKey[], { source, count, others, wanted }: Reason): string {
  const trusted = keys.map(describeSigningKey).join('; ');
  const [other] = others;
  if (other === undefined) return `none of its ${count} signatures is by a key of ${source}; trusted are: ${trusted}`;
  return `its signature by a trusted key is about another manifest (${JSON.stringify(other.slice(0, 100))}), not about this one (${wanted})`;
}

async function* statementsAbout(chart: SignedManifest): AsyncGenerator<Statement> {
  yield* taggedStatements(chart);
  yield* bundledStatements(chart);
}

async function* taggedStatements({ registry, manifest }: SignedManifest): AsyncGenerator<Statement> {
  const signatures = await find(registry, `${manifest.digest.replace(':', '-')}.sig`);
  for (const layer of listAt(signatures?.fields, 'layers').slice(0, MAX_SIGNATURES)) {
    const [type, digest, signature] = [textAt(layer, 'mediaType'), textAt(layer, 'digest'), textAt(layer, 'annotations', SIGNATURE)];
    if (type !== PAYLOAD_TYPE || digest === undefined || !DIGEST.test(digest) || signature === undefined) continue;
    const signed = await registry.blob(digest, PAYLOAD_BYTES);
    yield { signed, signature: Buffer.from(signature, 'base64'), about: () => [manifestInPayload(signed)] };
  }
}

function manifestInPayload(payload: Buffer): string {
  try {
    return textAt(JSON.parse(payload.toString('utf8')), 'critical', 'image', 'docker-manifest-digest') ?? 'nothing';
  } catch {
    return 'nothing';
  }
}

async function* bundledStatements({ registry, manifest }: SignedManifest): AsyncGenerator<Statement> {
  const referrers = (await find(registry, `referrers/${manifest.digest}`)) ?? (await find(registry, manifest.digest.replace(':', '-')));
  const bundles = listAt(referrers?.fields, 'manifests').filter((entry) => BUNDLE_TYPE.test(textAt(entry, 'artifactType') ?? ''));
  for (const entry of bundles.slice(0, MAX_SIGNATURES)) {
    const digest = textAt(entry, 'digest') ?? '';
    const bundle = DIGEST.test(digest) ? await find(registry, digest) : undefined;
    const layer = textAt(listAt(bundle?.fields, 'layers')[0], 'digest') ?? '';
    if (DIGEST.test(layer)) yield* statementsInBundle(await registry.blob(layer, BUNDLE_BYTES), manifest);
  }
}

/** What is there under a tag, a digest, or `referrers/<digest>`; undefined when nothing is. */
async function find(registry: Registry, reference: string): Promise<Manifest | undefined> {
  try {
    return await registry.manifest(reference, `${IMAGE_MANIFEST}, ${IMAGE_INDEX}`);
  } catch (error) {
    if (isAppError(error, 'ChartNotFound')) return undefined;
    // Registries without the referrers API answer that in many ways.
    if (reference.startsWith('referrers/') && error instanceof AppError && error.code === 'ChartInvalid') return undefined;
    throw error;
  }
}

/** The signatures in a sigstore bundle: over an in-toto statement in a DSSE envelope, or over the manifest itself. */
function statementsInBundle(bytes: Buffer, manifest: Manifest): readonly Statement[] {
  const bundle = parseJson(bytes);
  const direct = textAt(bundle, 'messageSignature', 'signature');
  const overManifest =
    direct === undefined ? [] : [{ signed: manifest.bytes, signature: Buffer.from(direct, 'base64'), about: () => [manifest.digest] }];
  return [...overManifest, ...envelopedStatements(at(bundle, 'dsseEnvelope'))];
}

function envelopedStatements(envelope: unknown): readonly Statement[] {
  const [type, encoded] = [textAt(envelope, 'payloadType'), textAt(envelope, 'payload')];
  if (type !== IN_TOTO || encoded === undefined) return [];
  const payload = Buffer.from(encoded, 'base64');
  const signed = preAuthentication(type, payload);
  return listAt(envelope, 'signatures')
    .slice(0, 10)
    .map((signature) => ({
      signed,
      signature: Buffer.from(textAt(signature, 'sig') ?? '', 'base64'),
      about: () => subjectsOf(parseJson(payload)),
    }));
}

/** The pre-authentication encoding of DSSE, version 1. */
function preAuthentication(type: string, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `), payload]);
}

function subjectsOf(statement: unknown): readonly string[] {
  if (textAt(statement, 'predicateType') !== SIGNED_IMAGE) return ['a statement that is no signature'];
  return listAt(statement, 'subject').map((subject) => `sha256:${textAt(subject, 'digest', 'sha256') ?? ''}`);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The keys of a policy; they were checked when the Secret was read. */
function readSigningKeys({ keys }: ChartVerification): readonly SigningKey[] {
  return keys.map(({ name, bytes }) => {
    const key = createPublicKey(Buffer.from(bytes).toString('utf8'));
    const fingerprint = createHash('sha256')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest('hex');
    return { key, name, fingerprint };
  });
}

/** `key SHA256:<hex> (cosign.pub)`. */
function describeSigningKey({ name, fingerprint }: SigningKey): string {
  return `key SHA256:${fingerprint} (${name})`;
}

/** The key that made a signature; undefined when it was none of them. */
function signerOf({ signed, signature }: Signed, keys: readonly SigningKey[]): SigningKey | undefined {
  return keys.find(({ key }) => hashesFor(key).some((hash) => verify(hash, signed, key, signature)));
}

function hashesFor({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): readonly (string | undefined)[] {
  if (asymmetricKeyType === 'ed25519') return [undefined];
  const fitting = MORE_HASHES.get(asymmetricKeyDetails?.namedCurve);
  return fitting === undefined ? ['sha256'] : ['sha256', fitting];
}
