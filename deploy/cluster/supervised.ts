import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Env } from '@waybill/kernel';
import { say } from '../announce.ts';

export interface Supervised {
  label: string;
  /** Stops the process gracefully, and kills it after the deadline. */
  stop(): Promise<void>;
  /** Ends the process in the same way and starts it again; resolves when it has started, not when it is ready. */
  restart(): Promise<void>;
}

const firstRestartMs = 100;
const longestRestartMs = 5_000;
const stopDeadlineMs = 12_000;

/**
 * Runs one copy of a service, and restarts it whenever it ends, until it is stopped. Its output is passed on line by
 * line.
 */
export function supervise(service: string, label: string, env: Env): Supervised {
  const main = fileURLToPath(new URL(`../../services/${service}/src/main.ts`, import.meta.url));
  let child: ChildProcess;
  let stopping = false;
  let delay = firstRestartMs;
  let timer: NodeJS.Timeout | undefined;

  function start(): void {
    const started = Date.now();
    // The channel tells the child when this process is gone, however it ended. The child has its own process group: a
    // Ctrl-C in the terminal is meant for this process, which stops the others in turn.
    child = spawn(process.execPath, [main], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    passOn(child.stdout!, label);
    passOn(child.stderr!, label);
    child.once('exit', (code, signal) => {
      if (stopping) return;
      delay = Date.now() - started > 10_000 ? firstRestartMs : Math.min(delay * 2, longestRestartMs);
      say(`${label} | ended (${signal ?? code}); starting it again in ${delay} ms`);
      timer = setTimeout(start, delay);
    });
  }

  let isOver = false;
  async function end(): Promise<void> {
    stopping = true;
    clearTimeout(timer);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const deadline = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs);
    await ended;
    clearTimeout(deadline);
  }

  start();
  return {
    label,
    async stop() {
      isOver = true;
      await end();
    },
    async restart() {
      await end();
      if (isOver) return;
      stopping = false;
      start();
    },
  };
}

function passOn(stream: Readable, label: string): void {
  createInterface(stream).on('line', (line) => say(`${label} | ${line}`));
}
