import type { KubeObject } from '../kubernetes/resource.ts';
import { rulesFor } from './conversion.ts';
import type { Lifted, RuleTable } from './conversion.ts';
import { fieldsOf } from './fields.ts';

export const certificateRules: RuleTable = rulesFor(['certificates.k8s.io/v1beta1'], ['CertificateSigningRequest'], liftRequest);

/** v1 asks who is to sign, and for what: both could be left open before. */
function liftRequest(object: KubeObject): Lifted {
  const { signerName, usages } = fieldsOf(object.spec);
  if (typeof signerName !== 'string' || signerName === 'kubernetes.io/legacy-unknown') {
    return { refused: 'it names no signer, and the old signer of every request is gone; name one in spec.signerName' };
  }
  if (!Array.isArray(usages) || usages.length === 0) return { refused: 'it says not what the certificate is for; name it in spec.usages' };
  return { object: { ...object, apiVersion: 'certificates.k8s.io/v1' }, notes: [] };
}
