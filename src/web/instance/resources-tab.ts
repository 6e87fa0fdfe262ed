import type { InstanceReading } from '../../operation/instance/list-events.ts';
import { emptySentence } from '../page/message-page.ts';
import { boundedTree, type BoundedTree } from '../page/tree-view.ts';
import { type FrameInput, instanceFrame, type InstanceFrame, instanceTabPath } from './instance-frame.ts';

/** What changes while somebody looks: a view of `environments/instances/resources-live`. */
export interface ResourcesLive extends BoundedTree {
  readonly unreadable: readonly string[];
  /** Why there is nothing below the root; empty when there is. */
  readonly empty: string;
  readonly refreshHref: string;
}

/** A view of `environments/instances/resources`. */
export interface ResourcesTab extends InstanceFrame {
  readonly live: ResourcesLive;
  readonly streamHref: string;
}

export function resourcesTab(reading: InstanceReading, around: Omit<FrameInput, 'instance'>): ResourcesTab {
  const { instance } = reading;
  return {
    ...instanceFrame({ instance, ...around }, 'resources'),
    live: resourcesLive(reading),
    streamHref: `${instanceTabPath(instance, 'resources')}/stream`,
  };
}

export function resourcesLive({ instance, tree }: InstanceReading): ResourcesLive {
  return {
    ...boundedTree(tree),
    unreadable: tree.unreadable,
    empty: emptySentence(tree.empty),
    refreshHref: instanceTabPath(instance, 'resources'),
  };
}
