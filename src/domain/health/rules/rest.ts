import { at, isObject, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';

/** Members of a spec that stop the object or what it runs when they are true. */
const FLAGS = ['suspend', 'suspended', 'paused', 'pause', 'stopped', 'stop', 'shutdown', 'halted', 'hibernate', 'hibernated'];
/** Members that say in a word what the object is to do. */
const WISHES = [['state'], ['desiredState'], ['engineState'], ['runStrategy'], ['job', 'state'], ['status'], ['mode']];
const REST = /^(stop|stopped|halt|halted|pause|paused|suspend|suspended|hibernate|hibernated)$/i;

/** Whether somebody asked the controller to leave the object alone, or to stop what it runs. */
export function isAskedToRest({ metadata, spec }: KubeObject): boolean {
  if (FLAGS.some((name) => at(spec, name) === true) || at(spec, 'running') === false) return true;
  if (at(spec, 'runPolicy', 'suspend') === true) return true;
  if (WISHES.some((path) => REST.test(textAt(spec, ...path) ?? ''))) return true;
  const annotations = at(metadata, 'annotations');
  return (
    isObject(annotations) &&
    Object.entries(annotations).some(([name, value]) => value === 'true' && /\/(paused|pause-reconcile|pause-reconciliation)$/.test(name))
  );
}
