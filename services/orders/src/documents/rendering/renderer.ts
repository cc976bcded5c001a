import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { RenderedFiles, RenderTask } from './render.ts';

const maxRenderingMs = 60_000;
const maxWaiting = 200;

/**
 * Creates the renderer. It makes one document at a time on a separate thread, so that the service can answer requests
 * meanwhile.
 */
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
