import type { CauseLink } from '../../domain/cause/cause.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import { nodesOf, type ResourceTree, type TreeNode } from '../../domain/tree/tree.ts';
import { instancePath } from '../page/paths.ts';
import { nodePath } from '../page/tree-view.ts';

/** A view of `parts/cause`. */
export interface CauseView {
  readonly cause: LinkView;
  /** What it holds back, the instance last. */
  readonly affected: readonly LinkView[];
  /** Present when a container crashed. */
  readonly log?: { readonly container: string; readonly href: string; readonly text: string };
  /** Kinds that were not read, as words; empty where all were. */
  readonly unread: string;
}

interface LinkView extends Pick<CauseLink, 'kind' | 'name' | 'message'> {
  /** Empty where there is no other page about it. */
  readonly href: string;
  /** Empty when unknown. */
  readonly since: string;
}

/** Why an instance is not well; undefined where nothing is known to be wrong. */
export function causeView(instance: InstanceView, { root, cause, unreadable }: ResourceTree): CauseView | undefined {
  if (cause === undefined) return undefined;
  const { chain, container, log } = cause;
  const [first, ...affected] = chain.map((link) => linkView(link, root, instance.environment));
  if (first === undefined) return undefined;
  return {
    cause: first,
    affected,
    ...(container === undefined ? {} : { log: { container: container.name, href: logsPath(instance, container), text: log?.text ?? '' } }),
    unread: unreadable.join(', '),
  };
}

function linkView({ apiVersion, kind, name, message, since = '' }: CauseLink, root: TreeNode, environment: string): LinkView {
  const node = nodesOf(root).find((one) => one.kind === kind && one.name === name && one.apiVersion === apiVersion);
  // The instance is the page itself.
  return { kind, name, message, since, href: node === undefined || node === root ? '' : nodePath(environment, node) };
}

function logsPath(instance: InstanceView, { pod, name, previous }: NonNullable<NonNullable<ResourceTree['cause']>['container']>): string {
  const query = new URLSearchParams({ pod, container: name, ...(previous ? { previous: 'on' } : {}) });
  return `${instancePath(instance)}/logs?${query.toString()}`;
}
