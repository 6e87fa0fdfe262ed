import type { KubeObject } from '../kubernetes/resource.ts';

const HOOK = 'helm.sh/hook';

/** Whether an object is a hook of Helm for one of these events, e.g. `pre-delete`. */
export function isHookOf({ metadata }: KubeObject, events: readonly string[]): boolean {
  const hooks = metadata.annotations?.[HOOK]?.split(',').map((event) => event.trim()) ?? [];
  return hooks.some((event) => events.includes(event));
}
