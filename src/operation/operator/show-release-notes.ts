import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { redact } from '../../domain/core/secret.ts';
import { parseOperatorSpec } from '../../domain/operator/operator-spec.ts';
import { parseOperatorStatus } from '../../domain/operator/operator-status.ts';
import { notesOf, recordName } from '../../domain/operator/release-notes.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { permissionTo, SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { Ports } from '../ports.ts';
import { overlaidValues } from '../upgrade/preview-values.ts';
import { findOperator, type OperatorAddress } from './find-operator.ts';

/** What the chart of an Operator says to whoever installs it. */
export interface ReleaseNotes {
  /** Plain text, its secret values masked; empty when the chart says nothing, or while it is not known. */
  readonly notes: string;
  /** 0: nothing is installed. */
  readonly revision: number;
  /** What the actor lacks to see it. */
  readonly missing: readonly MissingPermission[];
  /** Prints it. */
  readonly helm: string;
}

/**
 * The rendered NOTES.txt of the installed release. Helm's record also holds the values, so it is read as the actor, and the notes are shown only when
 * what has to be masked in them is known.
 *
 * @throws AppError as `findOperator`.
 */
export async function showReleaseNotes(ports: Pick<Ports, 'clusters'>, actor: Actor, address: OperatorAddress): Promise<ReleaseNotes> {
  const operator = await findOperator(ports, actor, address);
  const spec = parseOperatorSpec(operator);
  const status = parseOperatorStatus(operator);
  const revision = status.release?.revision ?? 0;
  const { releaseName, targetNamespace: namespace } = spec;
  const rest = { revision, helm: `helm get notes ${releaseName} --namespace ${namespace}` };
  if (revision === 0) return { ...rest, notes: '', missing: [] };
  const name = recordName(releaseName, revision);
  try {
    const [record, { secrets, missing }] = await Promise.all([
      ifFound(ports.clusters.asActor(actor).get({ ...SECRET, namespace, name })),
      overlaidValues(ports, actor, { namespace: address.namespace, spec, status }),
    ]);
    if (record === undefined || missing.length > 0) return { ...rest, notes: '', missing };
    return { ...rest, notes: redact(notesOf(record), secrets), missing };
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    return { ...rest, notes: '', missing: [error.missing ?? { ...permissionTo('get', SECRET), namespace, name }] };
  }
}
