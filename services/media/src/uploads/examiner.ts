import { Worker } from 'node:worker_threads';
import { FairSemaphore } from '@waybill/kernel';
import { ObjectStoreError } from '@waybill/object-store';
import { errors } from '../errors.ts';
import type { Examined, Question } from './examine.ts';

/** Each thread holds at most one file of 25 MiB, or the pixels of one picture. */
const limits = { concurrency: 2, maxWaiting: 200, maxPerKey: 100 };
/** Time limit for one file; the largest accepted ones take a second or two. */
const maxExaminingMs = 20_000;

type Reply =
  | Examined
  | { refused: string }
  | { failed: { code?: string; syscall?: string; message: string } };

export type Examiner = ReturnType<typeof createExaminer>;

/**
 * Creates an examiner that runs on threads of its own. Requests are answered meanwhile whatever a file contains, and a
 * thread that takes too long is ended.
 */
export function createExaminer({ deadlineMs = maxExaminingMs } = {}) {
  const slots = new FairSemaphore(limits);
  const idle: Worker[] = [];
  const all = new Set<Worker>();

  function start(): Worker {
    const worker = new Worker(new URL('./examine-worker.ts', import.meta.url));
    worker.unref();
    all.add(worker);
    worker.once('exit', () => {
      all.delete(worker);
      const at = idle.indexOf(worker);
      if (at >= 0) idle.splice(at, 1);
    });
    // A thread that ends while idle affects nothing; one that ends while working fails its question.
    worker.on('error', () => {});
    return worker;
  }

  function ask(worker: Worker, question: Question): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        settle();
        void worker.terminate();
        resolve({ refused: 'takes too long to examine' });
      }, deadlineMs);
      const onMessage = (reply: Reply) => {
        settle();
        idle.push(worker);
        resolve(reply);
      };
      const onEnd = () => {
        settle();
        reject(new ObjectStoreError('a thread that examined a file has ended', {}));
      };
      const settle = () => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
      };
      worker.on('message', onMessage).once('error', onEnd).once('exit', onEnd);
      worker.postMessage(question);
    });
  }

  return {
    /**
     * Identifies a file and removes personal metadata from it in place.
     * @throws unsupported_type with the broken rule; resource_unavailable when too many files wait
     */
    async examine(storeId: string, question: Question): Promise<Examined> {
      const reply = await slots.run(storeId, () => ask(idle.pop() ?? start(), question));
      if ('refused' in reply) throw errors.unsupported_type({ message: `The file ${reply.refused}.` });
      if (!('failed' in reply)) return reply;
      const { syscall, message } = reply.failed;
      throw syscall ? new ObjectStoreError(message, {}) : new Error(message);
    },

    async close(): Promise<void> {
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}
