import { type ChartAccess, chartSecretInvalid } from './chart-access.ts';
import { parseChartSecret, revisionOf } from './chart-secret.ts';
import type { ChartSource } from '../operator/operator-spec.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { parseVerifySecret } from './verify-secret.ts';

export interface ChartAccessInput {
  readonly source: ChartSource;
  /** Of the Operator, and so of its Secrets. */
  readonly namespace: string;
  /** The Secret of that name in the namespace; undefined when there is none. */
  readonly find: (name: string) => Promise<KubeObject | undefined>;
}

/** What the Secrets of an Operator say of its chart. */
export interface AccessRead {
  readonly access: ChartAccess;
  /** Another text whenever one of the Secrets is another; nothing can be guessed from it. */
  readonly revision: string;
}

/**
 * Reads the Secrets that `spec.chart.secretRef` and `spec.chart.verify.secretRef` name.
 *
 * @throws AppError `ChartSecretInvalid` that names the Secret and the key; what `find` throws.
 */
export async function readChartAccess({ source, namespace, find }: ChartAccessInput): Promise<AccessRead> {
  if (source.kind === 'url') return { access: {}, revision: '' };
  const existing = async (field: string, name: string): Promise<KubeObject> => {
    const object = await find(name);
    if (object === undefined)
      throw chartSecretInvalid(`Secret "${namespace}/${name}"`, `it does not exist, and ${field} names it; create it`);
    return object;
  };
  const [login, signers] = await Promise.all([
    source.secret === undefined ? undefined : existing('spec.chart.secretRef', source.secret),
    source.verify === undefined ? undefined : existing('spec.chart.verify.secretRef', source.verify.secret),
  ]);
  const access: ChartAccess = {
    ...(login === undefined ? {} : { credentials: parseChartSecret(login, source.repoURL) }),
    ...(signers === undefined || source.verify === undefined ? {} : { verification: parseVerifySecret(signers, source.verify.provider) }),
  };
  return { access, revision: [login, signers].map((object) => (object === undefined ? '' : revisionOf(object))).join('; ') };
}
