import type { ChartAccess } from '../../domain/chart-access.ts';
import { chartSecretInvalid } from '../../domain/chart-secret-error.ts';
import { parseChartSecret, revisionOf } from '../../domain/chart-secret.ts';
import type { KubeObject } from '../../domain/resource.ts';
import { parseVerifySecret } from '../../domain/verify-secret.ts';
import { findObject } from '../find-object.ts';
import { SECRET } from './kinds.ts';
import type { Work } from './work.ts';

/** What the Secrets of an Operator say of its chart. */
export interface AccessRead {
  readonly access: ChartAccess;
  /** Another text whenever one of the Secrets is another; nothing can be guessed from it. */
  readonly revision: string;
}

/**
 * Reads the Secrets that `spec.chart.secretRef` and `spec.chart.verify.secretRef` name, in the namespace of the Operator.
 *
 * @throws AppError `ChartSecretInvalid` that names the Secret and the key.
 */
export async function readChartAccess(work: Work): Promise<AccessRead> {
  const source = work.spec.chart;
  if (source.kind === 'url') return { access: {}, revision: '' };
  const [login, signers] = await Promise.all([
    source.secret === undefined ? undefined : find(work, 'spec.chart.secretRef', source.secret),
    source.verify === undefined ? undefined : find(work, 'spec.chart.verify.secretRef', source.verify.secret),
  ]);
  const access: ChartAccess = {
    ...(login === undefined ? {} : { credentials: parseChartSecret(login, source.repoURL) }),
    ...(signers === undefined || source.verify === undefined ? {} : { verification: parseVerifySecret(signers, source.verify.provider) }),
  };
  return { access, revision: [login, signers].map((object) => (object === undefined ? '' : revisionOf(object))).join('; ') };
}

async function find({ ports, operator, signal }: Work, field: string, name: string): Promise<KubeObject> {
  const namespace = operator.metadata.namespace ?? 'default';
  const object = await findObject(ports.cluster, { ...SECRET, namespace, name }, signal);
  if (object === undefined)
    throw chartSecretInvalid(`Secret "${namespace}/${name}"`, `it does not exist, and ${field} names it; create it`);
  return object;
}
