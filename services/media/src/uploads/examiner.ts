import { Worker } from 'node:worker_threads';
import { FairSemaphore } from '@waybill/kernel';
import { ObjectStoreError } from '@waybill/object-store';
import { errors } from '../errors.ts';
import type { ExaminedFile, ExamineRequest } from './examine.ts';

/** Each thread holds at most one file of 25 MiB, or the pixels of one picture. */
const limits = { concurrency: 2, maxWaiting: 200, maxPerKey: 100 };
/** Time limit for one file; the largest accepted ones take a second or two. */
const maxExaminingMs = 20_000;

type Reply =
  | ExaminedFile
  | { refused: string }
  | { failed: { code?: string; syscall?: string; message: string } };

export type Examiner = ReturnType<typeof createExaminer>;

/**
 * Creates an examiner that runs on threads of its own. Requests are answered in the meantime regardless of a file's content, and a
 * thread that takes too long is ended.
 */
export function createExaminer({ deadlineMs = maxExaminingMs } = {}) {
  const semaphore = new FairSemaphore(limits);
  const idleWorkers: Worker[] = [];
  const workers = new Set<Worker>();

  function startWorker(): Worker {
    const worker = new Worker(new URL('./examine-worker.ts', import.meta.url));
    worker.unref();
    workers.add(worker);
    worker.once('exit', () => {
      workers.delete(worker);
      const index = idleWorkers.indexOf(worker);
      if (index >= 0) idleWorkers.splice(index, 1);
    });
    // A thread that ends while idle affects nothing; one that ends while working fails its question.
    worker.on('error', () => {});
    return worker;
  }

  function requestExamination(worker: Worker, request: ExamineRequest): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        cleanUp();
        void worker.terminate();
        resolve({ refused: 'takes too long to examine' });
      }, deadlineMs);
      const onMessage = (reply: Reply) => {
        cleanUp();
        idleWorkers.push(worker);
        resolve(reply);
      };
      const onEnd = () => {
        cleanUp();
        reject(new ObjectStoreError('a thread that examined a file has ended', {}));
      };
      const cleanUp = () => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
      };
      worker.on('message', onMessage).once('error', onEnd).once('exit', onEnd);
      worker.postMessage(request);
    });
  }

  return {
    /**
     * Identifies a file and removes personal metadata from it in place.
     * @throws unsupported_type with the broken rule; resource_unavailable when too many files wait
     */
    async examine(storeId: string, request: ExamineRequest): Promise<ExaminedFile> {
      const reply = await semaphore.run(storeId, () =>
        requestExamination(idleWorkers.pop() ?? startWorker(), request),
      );
      if ('refused' in reply) throw errors.unsupported_type({ message: `The file ${reply.refused}.` });
      if (!('failed' in reply)) return reply;
      const { syscall, message } = reply.failed;
      throw syscall ? new ObjectStoreError(message, {}) : new Error(message);
    },

    async close(): Promise<void> {
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
