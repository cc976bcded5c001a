import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server that a test or chaos run has for itself: on a port and data of its own, with us it ends. */
export interface OwnServer {
  /** Stays the same over restarts. */
  url: string;
  port: number;
  /** Of the process that serves; undefined before the start. */
  pid(): number | undefined;
  /** Starts it (again); resolves when it answers. `empty`: without what it had. */
  start(empty: boolean): Promise<void>;
  /** In order, or after some seconds as a kill does it. */
  stop(): Promise<void>;
}

// Where util-linux is there, the kernel ends what we start when we end, also by SIGKILL.
const dieWithParent =
  spawnSync('setpriv', ['--version']).status === 0 ? ['setpriv', '--pdeathsig', 'KILL'] : [];

/** Starts a program that ends with this process, apart from the terminal's Ctrl-C. */
export function spawnOwn(
  program: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): ChildProcess {
  const [command, ...args] = [...dieWithParent, ...program];
  return spawn(command!, args, { ...options, stdio: 'ignore', detached: true });
}

/** Ends a process with SIGTERM; after some seconds with SIGKILL. */
export async function endProcess(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(timer);
}

/** Repeats `answers` until it does not fail; an error when the process ends or the deadline passes before. */
export async function untilItAnswers(
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
