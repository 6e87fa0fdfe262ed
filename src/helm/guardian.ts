import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Ends programs that must not outlive this process, however it ends: a helm that goes on after its worker was killed would change a release behind
 * the back of the worker that has taken over. The operating system closes a pipe when the process at its other end is gone; a small shell waits for
 * that, and kills what it was given.
 */
export interface Guardian {
  /** Begins to mind a program that was just started; call what it gives when the program has ended. */
  mind(pid: number): () => void;
}

/** `+<pid>` and `-<pid>` a line; at the end of input, what is left is killed. */
const SCRIPT = `trap '' INT TERM HUP
minded=
while read -r line; do
  case "$line" in
    +*) minded="$minded \${line#+}" ;;
    -*) rest=
      for pid in $minded; do [ "$pid" = "\${line#-}" ] || rest="$rest $pid"; done
      minded=$rest ;;
  esac
done
[ -z "$minded" ] || kill -KILL $minded`;

/** Starts its shell with the first program, and again should somebody end it. It does not keep our process alive. */
export function createGuardian(): Guardian {
  const minded = new Set<number>();
  let shell: ChildProcess | undefined;
  const send = (line: string): void => {
    if (shell === undefined) {
      const started = startShell(() => {
        if (shell === started) shell = undefined;
      });
      shell = started;
      for (const pid of minded) shell.stdin?.write(`+${pid}\n`);
    } else shell.stdin?.write(line);
  };
  return {
    mind: (pid) => {
      minded.add(pid);
      send(`+${pid}\n`);
      return () => {
        minded.delete(pid);
        send(`-${pid}\n`);
      };
    },
  };
}

/** In a session of its own, so that what ends our process group, Ctrl-C for one, does not end it before us. */
function startShell(ended: () => void): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/', env: {} });
  shell.once('exit', ended);
  shell.once('error', ended);
  shell.stdin.on('error', ended);
  shell.unref();
  // A pipe is a socket here, which can be let go of as the process can.
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
  return shell;
}
