import { parentPort } from 'node:worker_threads';
import { type ExamineRequest, examineFile } from './examine.ts';

parentPort!.on('message', async (request: ExamineRequest) => {
  try {
    parentPort!.postMessage(await examineFile(request));
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    parentPort!.postMessage({ failed: { code, syscall, message } });
  }
});
