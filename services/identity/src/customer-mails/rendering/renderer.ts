import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { TemplateProblem } from './liquid.ts';
import type { MailTask, RenderedCustomerMail } from './render.ts';

/**
 * Beyond what a template may take by itself, and a thread to start: the library does not interrupt a filter on a long
 * text.
 */
const maxRenderingMs = 10_000;
const maxWaiting = 500;

type Rendered = RenderedCustomerMail | { problem: TemplateProblem };

/** Renders templates of merchants on a thread of its own: one that takes too long is ended, and holds up nobody else. */
export function createMailRenderer() {
  const pool = new Piscina<MailTask, Rendered>({
    filename: fileURLToPath(new URL('./render.ts', import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    maxQueue: maxWaiting,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  return {
    async render(task: MailTask): Promise<Rendered> {
      const stop = new AbortController();
      // Counts from when it has begun: those that wait are not to blame.
      const begun = pool.run(task, { signal: stop.signal });
      const timer = setTimeout(() => stop.abort(), maxRenderingMs + 50 * pool.queueSize);
      try {
        return await begun;
      } catch (error) {
        if (!stop.signal.aborted && (error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY')
          throw error;
        return {
          problem: { pointer: '/body', message: 'takes too long or too much memory', line: 1, column: 1 },
        };
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => pool.destroy(),
  };
}
export type MailRenderer = ReturnType<typeof createMailRenderer>;
