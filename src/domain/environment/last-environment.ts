import { OURS } from '../kubernetes/names.ts';
import type { ObjectMeta } from '../kubernetes/resource.ts';

/** Annotations on a namespace that stayed when its Environment went: name and uid of the Environment, and the installation of Chandlery that it was of. */
export const LAST_ENVIRONMENT = `${OURS.group}/last-environment`;
export const LAST_ENVIRONMENT_UID = `${OURS.group}/last-environment-uid`;
export const LAST_INSTALLATION = `${OURS.group}/last-installation`;

/**
 * Whether a namespace was last that of an Environment of one of these names.
 *
 * @param installation the uid of the namespace `chandlery-system`: a namespace that was copied from another cluster, by its backup for example, is a foreign one.
 */
export function wasNamespaceOf(
  { annotations = {} }: Pick<ObjectMeta, 'annotations'>,
  names: readonly string[],
  installation: string | undefined,
): boolean {
  const last = annotations[LAST_ENVIRONMENT];
  return last !== undefined && names.includes(last) && installation !== undefined && annotations[LAST_INSTALLATION] === installation;
}
