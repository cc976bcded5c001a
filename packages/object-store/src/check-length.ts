import { Transform } from 'node:stream';

/** Passes bytes on, and fails unless there are exactly as many as announced. */
export function checkLength(sizeBytes: number | undefined): Transform {
  let receivedBytes = 0;
  const wrongLength = () => new RangeError(`the body is not ${sizeBytes} bytes long`);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      receivedBytes += chunk.length;
      if (sizeBytes !== undefined && receivedBytes > sizeBytes) done(wrongLength());
      else done(null, chunk);
    },
    flush(done) {
      done(sizeBytes !== undefined && receivedBytes < sizeBytes ? wrongLength() : null);
    },
  });
}
