import type { Readable } from 'node:stream';

/** Maximum time of a body. Servers allow longer, for files. */
const maxBodyMs = 60_000;

interface Refusals {
  tooLarge(): Error;
  /** The message is shown to the sender. */
  broken(message: string): Error;
}

/**
 * Reads the body of a request that is not JSON for the kernel. Rejects with one of the refusals if that fails. The
 * server reads the rest of the body, so that the client gets the answer.
 */
export function readBody(
  body: Readable,
  maxBytes: number,
  refusals: Refusals,
  maxMs = maxBodyMs,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (settle: () => void) => {
      clearTimeout(timer);
      body.off('data', onData).off('end', onEnd).off('error', onAborted).off('aborted', onAborted);
      settle();
    };
    const fail = (error: Error) => stop(() => reject(error));
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) fail(refusals.tooLarge());
      else chunks.push(chunk);
    };
    const onEnd = () => stop(() => resolve(Buffer.concat(chunks, size)));
    const onAborted = () => fail(refusals.broken('The body broke off.'));
    const timer = setTimeout(() => fail(refusals.broken('The body took too long.')), maxMs);
    body.on('data', onData).on('end', onEnd).on('error', onAborted).on('aborted', onAborted);
  });
}
