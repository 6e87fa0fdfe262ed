import { sourceCommands } from '../../domain/source/source-commands.ts';
import type { SourceDeletion } from '../../domain/source/source-deletion.ts';
import { sourcePath } from '../page/paths.ts';
import { plural } from '../page/view-helpers.ts';

/** A view of `sources/delete`. */
export interface SourceDeletePage {
  readonly name: string;
  readonly warning: { readonly tone: string; readonly symbol: string; readonly title: string; readonly text: string };
  readonly kinds: SourceDeletion['kinds'];
  readonly resources: readonly { readonly kind: string; readonly name: string; readonly place: string; readonly file: string }[];
  /** How many more there are than are named; empty when none. */
  readonly more: string;
  readonly prune: boolean;
  /** With resources that are deleted, the name must be typed. */
  readonly typeName: boolean;
  readonly fault: string;
  readonly faults: readonly { readonly message: string; readonly href: string }[];
  /** Why it may not be deleted; empty when it may. */
  readonly rejected: string;
  readonly action: string;
  readonly backHref: string;
  readonly command: string;
}

interface DeleteInput {
  readonly name: string;
  readonly deletion: SourceDeletion;
  readonly rejected: string;
  /** What is wrong with what was sent; empty when nothing is. */
  readonly fault: string;
}

export function sourceDeletePage({ name, deletion, rejected, fault }: DeleteInput): SourceDeletePage {
  const { prune, total, kinds, resources } = deletion;
  return {
    name,
    warning: warningOf(deletion),
    kinds,
    resources: resources.map(({ kind, name: own, namespace = '', file }) => ({ kind, name: own, place: namespace, file })),
    more: total > resources.length ? `and ${plural(total - resources.length, 'more resource', 'more resources')}` : '',
    prune,
    typeName: deletesResources(deletion),
    fault,
    faults: fault === '' ? [] : [{ message: fault, href: '#name' }],
    rejected,
    action: sourcePath(name, 'delete'),
    backHref: sourcePath(name),
    command: sourceCommands(name).delete,
  };
}

export function deletesResources({ prune, total }: SourceDeletion): boolean {
  return prune && total > 0;
}

function warningOf({ prune, total }: SourceDeletion): SourceDeletePage['warning'] {
  if (total === 0) return { tone: 'idle', symbol: 'info', title: 'The source owns nothing', text: 'Nothing is deleted with it.' };
  const many = plural(total, 'resource', 'resources');
  if (prune) {
    const text = `${many} ${total === 1 ? 'is' : 'are'} deleted with it. A resource that another source has a document of goes to that source instead.`;
    return { tone: 'bad', symbol: 'warn', title: 'This cannot be undone', text };
  }
  const text = `${many} ${total === 1 ? 'stays' : 'stay'} in the cluster, because spec.prune is false. Another source that has documents of them takes them over.`;
  return { tone: 'warn', symbol: 'warn', title: 'The resources stay', text };
}
