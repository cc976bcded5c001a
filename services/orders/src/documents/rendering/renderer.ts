import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { RenderedFiles, RenderTask } from './render.ts';

const maxRenderingMs = 60_000;
const maxWaiting = 200;

/** Renders documents on a thread of its own, one at a time, so that requests are answered meanwhile. */
export function createRenderer() {
  const pool = new Piscina<RenderTask, RenderedFiles>({
    filename: fileURLToPath(new URL('./render.ts', import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    maxQueue: maxWaiting,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  return {
    /** Whether another document would be refused now. */
    get isFull() {
      return pool.queueSize >= maxWaiting;
    },
    render: (task: RenderTask): Promise<RenderedFiles> =>
      pool.run(task, { signal: AbortSignal.timeout(maxRenderingMs) }),
    close: () => pool.destroy(),
  };
}
export type Renderer = ReturnType<typeof createRenderer>;
