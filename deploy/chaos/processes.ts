import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats a check until it returns a truthy value; after false or an error it tries again, until the deadline. */
export async function waitUntil<Result>(
  what: string,
  withinMs: number,
  check: () => Promise<Result> | Result,
): Promise<NonNullable<Result>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    let last: unknown;
    try {
      const result = await check();
      if (result) return result;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline)
      throw new Error(
        `${what}: not within ${withinMs / 1000} s ${(last as Error | undefined)?.message ?? ''}`,
      );
    await sleep(50);
  }
}

/** Returns the processes that a process has started, with their command lines. */
export function listChildren(pid: number): { pid: number; command: string }[] {
  let text = '';
  try {
    text = execFileSync('ps', ['-ww', '-o', 'pid=,args=', '--ppid', String(pid)], { encoding: 'utf8' });
  } catch {
    // The process has no children.
  }
  return text.split('\n').flatMap((line) => {
    const [, child, command] = /^(\d+)\s(.*)$/.exec(line.trim()) ?? [];
    return child ? [{ pid: Number(child), command: command! }] : [];
  });
}

/** Sends a signal to those of the processes that still exist. */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // The process has ended.
    }
  }
}
