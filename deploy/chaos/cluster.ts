import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildConsole } from '@waybill/console';
import { freePort } from '../free-port.ts';
import { listChildren, waitUntil } from './processes.ts';

export interface Cluster {
  baseUrl: string;
  /** Every line of its output, logs included. */
  lines: string[];
  /** Returns the processes of a service, all its copies. */
  pids(service: string): number[];
  /** Restarts every process in turn; resolves when the last one is ready again. */
  roll(): Promise<void>;
  stop(): Promise<number | null>;
}

const main = fileURLToPath(new URL('../cluster/main.ts', import.meta.url));

/** Starts `npm run cluster -- --delivery 2` on the run's own servers, with the given numbers of copies. */
export async function startCluster(
  env: Record<string, string>,
  copies: Readonly<Record<string, number>> = { delivery: 2 },
): Promise<Cluster> {
  // Otherwise every gateway that is killed and started during a build would begin another one.
  await buildConsole();
  const port = await freePort();
  const args = Object.entries(copies).flatMap(([service, count]) => [`--${service}`, String(count)]);
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, ...env, PORT: String(port), WAYBILL_DEMO: 'off' },
    // The channel tells the cluster when this process is gone, however it ended.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  const lines: string[] = [];
  for (const stream of [child.stdout!, child.stderr!])
    createInterface(stream).on('line', (line) => lines.push(line));
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const baseUrl = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${baseUrl}/healthz`)).ok;
  const ended = exited.then(() => {
    throw new Error(`the cluster ended before it was ready:\n${lines.slice(-20).join('\n')}`);
  });
  // Some thousand shards take time to create.
  const withinMs = env.WAYBILL_CITUS_WORKERS ? 400_000 : 90_000;
  await Promise.race([waitUntil('a ready cluster', withinMs, isReady), ended]);
  return {
    baseUrl,
    lines,
    pids: (service) =>
      listChildren(child.pid!)
        .filter(({ command }) => command.includes(`services/${service}/src/main.ts`))
        .map(({ pid }) => pid),
    async roll() {
      const from = lines.length;
      child.kill('SIGHUP');
      await waitUntil('the end of a restart', 300_000, () =>
        lines.slice(from).some((line) => line.includes('Every process has been restarted.')),
      );
    },
    async stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
