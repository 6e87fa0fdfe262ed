import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import * as asn1 from '@peculiar/asn1-x509';

/** A certificate and its private key (PKCS #8), both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** What a certificate says. Everything but the lifetime is stable, so that a certificate on disk can be compared with it. */
export interface CertificateRequest {
  readonly commonName: string;
  /** What the api-server takes for groups. */
  readonly organization?: string;
  readonly use: 'authority' | 'server' | 'client' | 'server and client';
  /** DNS names and IP addresses of a server. */
  readonly hosts?: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const PURPOSES: Readonly<Record<CertificateRequest['use'], readonly string[]>> = {
  authority: [],
  server: [asn1.id_kp_serverAuth],
  client: [asn1.id_kp_clientAuth],
  'server and client': [asn1.id_kp_serverAuth, asn1.id_kp_clientAuth],
};

/** Issues an X.509 v3 certificate (RFC 5280) with a new P-256 key; signed by `issuer`, or by itself when there is none. */
export function issueCertificate(request: CertificateRequest, issuer?: KeyPair): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicInfo = AsnConvert.parse(publicKey.export({ type: 'spki', format: 'der' }), asn1.SubjectPublicKeyInfo);
  const algorithm = new asn1.AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const subject = nameOf(request);
  const signer = issuer === undefined ? undefined : readIssuer(issuer);
  const body = new asn1.TBSCertificate({
    version: asn1.Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer: signer?.subject ?? subject,
    validity: new asn1.Validity({ notBefore: request.notBefore, notAfter: request.notAfter }),
    subject,
    subjectPublicKeyInfo: publicInfo,
    extensions: extensionsOf(request, publicInfo, signer?.publicInfo ?? publicInfo),
  });
  const signature = sign(
    'sha256',
    Buffer.from(AsnConvert.serialize(body)),
    issuer === undefined ? privateKey : createPrivateKey(issuer.key),
  );
  const certificate = new asn1.Certificate({
    tbsCertificate: body,
    signatureAlgorithm: algorithm,
    signatureValue: toArrayBuffer(signature),
  });
  return {
    certificate: new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString(),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Whether the pair belongs together, was signed by the issuer, names all hosts, and is still valid at `until`. */
export function isUsableCertificate(
  pair: KeyPair,
  expected: { readonly issuer: KeyPair; readonly hosts?: readonly string[]; readonly until: Date },
): boolean {
  try {
    const certificate = new X509Certificate(pair.certificate);
    return (
      certificate.checkPrivateKey(createPrivateKey(pair.key)) &&
      certificate.verify(createPublicKey(expected.issuer.certificate)) &&
      certificate.validToDate > expected.until &&
      (expected.hosts ?? []).every((host) => (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined)
    );
  } catch {
    return false;
  }
}

function readIssuer(issuer: KeyPair): { subject: asn1.Name; publicInfo: asn1.SubjectPublicKeyInfo } {
  const { tbsCertificate } = AsnConvert.parse(new X509Certificate(issuer.certificate).raw, asn1.Certificate);
  return { subject: tbsCertificate.subject, publicInfo: tbsCertificate.subjectPublicKeyInfo };
}

function nameOf({ commonName, organization }: CertificateRequest): asn1.Name {
  const parts = [...(organization === undefined ? [] : [[ORGANIZATION, organization] as const]), [COMMON_NAME, commonName] as const];
  return new asn1.Name(
    parts.map(([type, utf8String]) => {
      const value = new asn1.AttributeValue({ utf8String });
      return new asn1.RelativeDistinguishedName([new asn1.AttributeTypeAndValue({ type, value })]);
    }),
  );
}

function extensionsOf(request: CertificateRequest, subject: asn1.SubjectPublicKeyInfo, issuer: asn1.SubjectPublicKeyInfo): asn1.Extensions {
  const isAuthority = request.use === 'authority';
  const usage = isAuthority ? asn1.KeyUsageFlags.keyCertSign | asn1.KeyUsageFlags.cRLSign : asn1.KeyUsageFlags.digitalSignature;
  const authority = new asn1.AuthorityKeyIdentifier({ keyIdentifier: new asn1.KeyIdentifier(keyIdentifier(issuer)) });
  const extensions = [
    extension(asn1.id_ce_basicConstraints, new asn1.BasicConstraints({ cA: isAuthority }), 'critical'),
    extension(asn1.id_ce_keyUsage, new asn1.KeyUsage(usage), 'critical'),
    extension(asn1.id_ce_subjectKeyIdentifier, new asn1.SubjectKeyIdentifier(keyIdentifier(subject)), 'optional'),
    extension(asn1.id_ce_authorityKeyIdentifier, authority, 'optional'),
  ];
  const purposes = PURPOSES[request.use];
  if (purposes.length > 0) extensions.push(extension(asn1.id_ce_extKeyUsage, new asn1.ExtendedKeyUsage([...purposes]), 'optional'));
  const hosts = (request.hosts ?? []).map((host) => new asn1.GeneralName(isIP(host) === 0 ? { dNSName: host } : { iPAddress: host }));
  if (hosts.length > 0) extensions.push(extension(asn1.id_ce_subjectAltName, new asn1.SubjectAlternativeName(hosts), 'optional'));
  return new asn1.Extensions(extensions);
}

function extension(extnID: string, value: unknown, weight: 'critical' | 'optional'): asn1.Extension {
  return new asn1.Extension({ extnID, critical: weight === 'critical', extnValue: new OctetString(AsnConvert.serialize(value)) });
}

/** RFC 5280 section 4.2.1.2, method 1. */
function keyIdentifier(info: asn1.SubjectPublicKeyInfo): ArrayBuffer {
  return toArrayBuffer(createHash('sha1').update(Buffer.from(info.subjectPublicKey)).digest());
}

/** A positive integer of 16 bytes; the top byte must be 0x01 to 0x7f for DER to need no padding. */
function serialNumber(): ArrayBuffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return toArrayBuffer(bytes);
}

function toArrayBuffer(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
