import { totalmem } from 'node:os';
import { childrenWithin } from '../helm/bounds.ts';

/**
 * How many helm programs one of our uses of Helm may run at once.
 *
 * @param share of the memory of the machine, or of the container where that has a limit.
 */
export function helmChildren(wished: number, share: number): number {
  const limit = process.constrainedMemory();
  return childrenWithin(wished, share * Math.min(totalmem(), limit > 0 ? limit : Infinity));
}
