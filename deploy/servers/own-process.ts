import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server for one test or chaos run, with its own port and data; it ends with this process. */
export interface OwnServer {
  /** Stays the same across restarts. */
  url: string;
  port: number;
  /** The id of the serving process; undefined before the start. */
  pid(): number | undefined;
  /** Starts the server (again); resolves when it answers. `empty` means without its data. */
  start(empty: boolean): Promise<void>;
  /** Stops the server in order, or after some seconds with a kill. */
  stop(): Promise<void>;
}

// With util-linux, the kernel ends the started program when this process ends, also by SIGKILL.
const dieWithParent =
  spawnSync('setpriv', ['--version']).status === 0 ? ['setpriv', '--pdeathsig', 'KILL'] : [];

/** Starts a program that ends with this process and does not get the terminal's Ctrl-C. */
export function spawnOwn(
  program: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): ChildProcess {
  const [command, ...args] = [...dieWithParent, ...program];
  return spawn(command!, args, { ...options, stdio: 'ignore', detached: true });
}

/** Ends a process with SIGTERM, and after some seconds with SIGKILL. */
export async function endProcess(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(timer);
}

/** Repeats `answers` until it succeeds; throws if the process ends or the deadline passes first. */
export async function waitUntilAnswering(
  name: string,
  child: ChildProcess,
  withinMs: number,
  answers: () => Promise<unknown>,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      await answers();
      return;
    } catch (error) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}`);
      if (Date.now() > deadline)
        throw new Error(`${name} does not answer within ${withinMs / 1000} s: ${(error as Error).message}`);
    }
    await sleep(50);
  }
}
