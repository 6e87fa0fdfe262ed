import { issueCertificate, type KeyPair } from '../../src/embedded/cluster/certificate.ts';

/** A server of this machine under an authority of its own, for an hour. */
export interface LocalTls {
  /** The PEM of the authority. */
  readonly authority: string;
  /** Of `localhost` and `127.0.0.1`, in PEM. */
  readonly server: KeyPair;
}

export function localTls(): LocalTls {
  const lifetime = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
  const authority = issueCertificate({ commonName: 'test authority', use: 'authority', ...lifetime });
  const hosts = ['localhost', '127.0.0.1'];
  return {
    authority: authority.certificate,
    server: issueCertificate({ commonName: 'localhost', use: 'server', hosts, ...lifetime }, authority),
  };
}
