import { parentPort } from 'node:worker_threads';
import { examine, type Question } from './examine.ts';

parentPort!.on('message', async (question: Question) => {
  try {
    parentPort!.postMessage(await examine(question));
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    parentPort!.postMessage({ failed: { code, syscall, message } });
  }
});
