import type { Socket } from 'node:net';

/** Matches interim status lines. 101 is not interim, because it ends HTTP. */
const interimLine = /^HTTP\/1\.[01] 1(?!01)\d\d(?: |\r|\n)/;
const continueLine = /^HTTP\/1\.[01] 100/;
/** Number of bytes needed to tell the status line of an interim answer from any other. */
const lineStartLength = 'HTTP/1.1 100 '.length;
/** Matches a partial line that may still become the status line of an interim answer. */
const partialInterimLine = /^H(?:T(?:T(?:P(?:\/(?:1(?:\.(?:[01](?: (?:1(?:\d{1,2})?)?)?)?)?)?)?)?)?)?$/;
/** A longer interim head is passed to the parser, which refuses it. */
const maxHeadBytes = 16 * 1024;

/**
 * Drops unrequested `100 Continue` heads before the parser sees them. undici closes the connection over one, while RFC
 * 9110, 15.2, requires clients to discard them (`decisions.md 19.11`); it does skip 102 and 103. Each write begins a
 * request, because requests never share a connection at the same time, and the next bytes are the head of its answer.
 */
export function skipUnrequestedContinue(socket: Socket): void {
  const { read, write } = socket;
  let isBeforeAnswer = false;
  let pending = Buffer.alloc(0);

  function filter(chunk: Buffer): Buffer | null {
    pending = Buffer.concat([pending, chunk]);
    const forwarded: Buffer[] = [];
    while (pending.length > 0) {
      const line = pending.toString('latin1', 0, lineStartLength);
      const isInterim =
        line.length < lineStartLength ? partialInterimLine.test(line) : interimLine.test(line);
      const end = isInterim ? pending.indexOf('\r\n\r\n') : -1;
      if (isInterim && end < 0 && pending.length <= maxHeadBytes) break;
      isBeforeAnswer = end >= 0;
      const head = pending.subarray(0, isBeforeAnswer ? end + 4 : undefined);
      pending = pending.subarray(head.length);
      if (!isBeforeAnswer || !continueLine.test(line)) forwarded.push(head);
    }
    return forwarded.length > 0 ? Buffer.concat(forwarded) : null;
  }

  socket.write = ((...args: Parameters<Socket['write']>) => {
    isBeforeAnswer = true;
    return write.apply(socket, args);
  }) as Socket['write'];
  socket.read = (size?: number) => {
    for (;;) {
      const chunk = read.call(socket, size) as Buffer | null;
      if (chunk === null || !isBeforeAnswer) return chunk;
      const rest = filter(chunk);
      if (rest !== null) return rest;
    }
  };
}
