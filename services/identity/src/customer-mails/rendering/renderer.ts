import { fileURLToPath } from 'node:url';
import { FairSemaphore } from '@waybill/kernel';
import { Piscina } from 'piscina';
import type { TemplateProblem } from './liquid.ts';
import type { MailTask, RenderedCustomerMail } from './render.ts';

/**
 * Beyond what a template may take by itself, and a thread to start: the library does not interrupt a filter on a long
 * text.
 */
const maxRenderingMs = 10_000;
const maxWaiting = 500;
/** How many trials of its templates a store has at once. */
const maxTrialsPerStore = 4;

type Rendered = RenderedCustomerMail | { problem: TemplateProblem };

/** Renders templates on a thread of its own, one at a time, stores taking turns; one that takes too long is ended. */
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

/** Renders templates of merchants: mails that are sent wait for no trial, and no store for the templates of another. */
export function createMailRenderer() {
  const mails = new RenderingThread();
  const trials = new RenderingThread(maxTrialsPerStore);
  return {
    /** @throws resource_unavailable where too many wait */
    render: (storeId: string, isTrial: boolean, task: MailTask): Promise<Rendered> =>
      (isTrial ? trials : mails).render(storeId, task),
    close: async () => void (await Promise.all([mails.close(), trials.close()])),
  };
}
export type MailRenderer = ReturnType<typeof createMailRenderer>;
