import { Transform } from 'node:stream';

/** Passes bytes on, and fails unless there are exactly as many as announced. */
export function measure(sizeBytes: number | undefined): Transform {
  let seen = 0;
  const wrongLength = () => new RangeError(`the body is not ${sizeBytes} bytes long`);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (sizeBytes !== undefined && seen > sizeBytes) done(wrongLength());
      else done(null, chunk);
    },
    flush(done) {
      done(sizeBytes !== undefined && seen < sizeBytes ? wrongLength() : null);
    },
  });
}
