import type { SignatureCheck, Signer } from './signature-check.ts';
import { verifyCosign } from './verify-cosign.ts';
import { withinTotal } from '../fetch/receive.ts';

/**
 * Checks that a chart is signed by one of the keys of a policy, and that the signature is about these very bytes.
 *
 * @throws AppError `ChartUnsigned`, `SignatureInvalid`, `ChartSecretInvalid` for keys that cannot be read, and what fetching the signature ends in.
 */
export async function verifySignature(check: SignatureCheck, signal: AbortSignal): Promise<Signer> {
  const { chart, context } = check;
  return withinTotal({ address: chart.address, limits: context.limits, signal }, (bounded) => verifyBy(check, bounded));
}

function verifyBy(check: SignatureCheck, signal: AbortSignal): Promise<Signer> {
  switch (check.verification.provider) {
    case 'Provenance':
      // OpenPGP is large, and few ask for it.
      return import('./verify-provenance.ts').then(({ verifyProvenance }) => verifyProvenance(check, signal));
    case 'Cosign':
      return verifyCosign(check, signal);
    default:
      return check.verification.provider satisfies never;
  }
}
