import { at, listAt, textAt } from '../domain/read.ts';
import type { Manifest } from './registry.ts';
import type { Statement } from './verify-cosign.ts';

/** The media types of bundles, which cosign writes since version 3. */
export const BUNDLE_TYPE = /^application\/vnd\.dev\.sigstore\.bundle(\.v\d+\.\d+)?\+json/;

const IN_TOTO = 'application/vnd.in-toto+json';
/** Other statements, such as a list of parts, are signed with the same keys and say nothing about trust. */
const SIGNED_IMAGE = 'https://sigstore.dev/cosign/sign/v1';

/** The signatures in a sigstore bundle: over an in-toto statement in a DSSE envelope, or over the manifest itself. */
export function statementsInBundle(bytes: Buffer, manifest: Manifest): readonly Statement[] {
  const bundle = parse(bytes);
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
      about: () => subjectsOf(parse(payload)),
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

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
