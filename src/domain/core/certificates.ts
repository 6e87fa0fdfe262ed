import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a text in PEM, one each; undefined when it holds none, or one that cannot be read. */
export function parseCertificates(text: string): readonly string[] | undefined {
  const found = text.match(CERTIFICATE) ?? [];
  return found.length > 0 && found.every(isCertificate) ? found : undefined;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
