import { fileURLToPath } from 'node:url';
import { FairSemaphore } from '@waybill/kernel';
import { Piscina } from 'piscina';
import type { TemplateProblem } from './liquid.ts';
import type { MailTask, RenderedCustomerMail } from './render.ts';

/**
 * Time for a rendering, well above the template's own limit and the start of a thread. It ends filters on long texts,
 * which the library does not interrupt.
 */
const maxRenderingMs = 10_000;
const maxWaiting = 500;
/** Maximum number of trials that a store renders or queues at once. */
const maxTrialsPerStore = 4;

type Rendered = RenderedCustomerMail | { problem: TemplateProblem };

/**
 * Renders templates on a separate thread, one at a time, with stores taking turns. Stops a rendering that takes too
 * long.
 */
class RenderingThread {
  readonly #pool = new Piscina<MailTask, Rendered>({
    filename: fileURLToPath(new URL('./render.ts', import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  readonly #turns: FairSemaphore;

  constructor(maxPerKey?: number) {
    this.#turns = new FairSemaphore({ concurrency: 1, maxWaiting, ...(maxPerKey && { maxPerKey }) });
  }

  render(storeId: string, task: MailTask): Promise<Rendered> {
    return this.#turns.run(storeId, async () => {
      const signal = AbortSignal.timeout(maxRenderingMs);
      try {
        return await this.#pool.run(task, { signal });
      } catch (error) {
        if (!signal.aborted && (error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY')
          throw error;
        const message = 'takes too long or too much memory';
        return { problem: { pointer: '/body', message, line: 1, column: 1 } };
      }
    });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

/**
 * Creates the renderer of merchants' templates. Real mails do not wait for trials, and no store waits long for another
 * store's templates.
 */
export function createMailRenderer() {
  const mails = new RenderingThread();
  const trials = new RenderingThread(maxTrialsPerStore);
  return {
    /** @throws resource_unavailable if too many renderings wait */
    render: (storeId: string, isTrial: boolean, task: MailTask): Promise<Rendered> =>
      (isTrial ? trials : mails).render(storeId, task),
    close: async () => void (await Promise.all([mails.close(), trials.close()])),
  };
}
export type MailRenderer = ReturnType<typeof createMailRenderer>;
