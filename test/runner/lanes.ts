/** A piece of work of a run. */
export interface Task {
  readonly name: string;
  /** What it takes part in: of one world, a task that is alone has no other beside it; without one, it has none at all. */
  readonly world?: string;
  readonly alone: boolean;
  /** Ends when the work may begin, e.g. when its world has started; it takes no lane until then. */
  readonly ready: Promise<unknown>;
  run(): Promise<void>;
}

/** Runs tasks in so many lanes, in their order as far as they are ready; those that run alone wait until what they exclude has ended. */
export async function runInLanes(tasks: readonly Task[], lanes: number): Promise<void> {
  const waiting = [...tasks];
  const ready = new Set<Task>();
  const running = new Map<Task, Promise<void>>();
  let changed = Promise.withResolvers<void>();
  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  for (const task of tasks) {
    void task.ready.then(() => {
      ready.add(task);
      change();
    });
  }
  while (waiting.length > 0 || running.size > 0) {
    const [next] =
      running.size < lanes ? waiting.filter((task) => ready.has(task) && mayStart(task, { waiting, running: [...running.keys()] })) : [];
    if (next === undefined) {
      await changed.promise;
      continue;
    }
    waiting.splice(waiting.indexOf(next), 1);
    const work = next.run().finally(() => {
      running.delete(next);
      change();
    });
    running.set(next, work);
  }
}

function mayStart(task: Task, { waiting, running }: { readonly waiting: readonly Task[]; readonly running: readonly Task[] }): boolean {
  if (running.some((other) => excludes(other, task) || excludes(task, other))) return false;
  // What runs alone comes last, so that no lane waits for it.
  return !task.alone || waiting.every((other) => other === task || other.alone || !excludes(task, other));
}

function excludes(task: Task, other: Task): boolean {
  return task.alone && (task.world === undefined || task.world === other.world);
}
