import type { DeletedInstances, DeletedInstanceView } from '../../operation/instance/deleted-instances.ts';
import { hrefWith, installPath } from '../page/paths.ts';

/** A row of the instances that were deleted lately. */
interface DeletedRow {
  readonly name: string;
  readonly appName: string;
  readonly version: string;
  /** RFC 3339. */
  readonly deleted: string;
  /** Empty where the user is not known. */
  readonly deletedBy: string;
  readonly expires: string;
  readonly notes: readonly string[];
  /** The form of a new instance, filled in. */
  readonly restoreHref: string;
}

/** A view of `parts/deleted-instances`; empty where there are none, or they may not be read. */
export function deletedRows({ items }: DeletedInstances): readonly DeletedRow[] {
  return items.map((item) => ({
    name: item.name,
    appName: item.appName,
    version: item.version ?? '',
    deleted: item.deleted,
    deletedBy: item.deletedBy ?? '',
    expires: item.expires,
    notes: notesOn(item),
    restoreHref: hrefWith(installPath(item.app), { environment: item.environment, name: item.name, deleted: item.id }),
  }));
}

const LIST = new Intl.ListFormat('en-GB');

function notesOn({ claims, valuesFrom, sensitiveValues }: DeletedInstanceView): readonly string[] {
  return [
    ...(claims.length === 0
      ? []
      : [
          `Kept ${claims.length === 1 ? 'volume claim' : 'volume claims'} ${LIST.format(claims)}: a StatefulSet of the same name uses the data again.`,
        ]),
    ...(valuesFrom.length === 0
      ? []
      : [`Takes values from ${LIST.format(valuesFrom)}. Secrets that belonged to the instance were deleted with it.`]),
    ...(sensitiveValues ? ['Enter its sensitive values again.'] : []),
  ];
}
