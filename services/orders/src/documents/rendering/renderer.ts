import { fileURLToPath } from 'node:url';
import { Tinypool } from 'tinypool';
import type { RenderedFiles, RenderTask } from './render.ts';

const maxRenderingMs = 60_000;
const maxWaiting = 200;

/**
 * Creates the renderer. It makes one document at a time in a process of the lowest priority, so that the service can
 * answer requests meanwhile. A thread would share the service's threads for garbage collection and compression, which
 * have the priority of requests.
 */
export function createRenderer() {
  const pool = new Tinypool({
    runtime: 'child_process',
    filename: fileURLToPath(new URL('./render.ts', import.meta.url)),
    serialization: 'advanced',
    minThreads: 0,
    maxThreads: 1,
    maxQueue: maxWaiting,
    idleTimeout: 30_000,
    execArgv: ['--max-old-space-size=256'],
    // The environment of the service holds secrets.
    env: {},
  });
  // If the process ends between two documents, the next document starts another one.
  pool.on('error', () => {});
  return {
    /** The id of the process while it runs. */
    get pid(): number | undefined {
      return pool.threads[0]?.threadId;
    },
    /** Whether the renderer would refuse another document now. */
    get isFull() {
      return pool.queueSize >= maxWaiting;
    },
    render: (task: RenderTask): Promise<RenderedFiles> =>
      pool.run(task, { signal: AbortSignal.timeout(maxRenderingMs) }),
    close: () => pool.destroy(),
  };
}
export type Renderer = ReturnType<typeof createRenderer>;
