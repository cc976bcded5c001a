import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/** The header of W3C Trace Context: `00-<trace id>-<span id>-<flags>`, in hexadecimal. */
export const traceHeader = 'traceparent';

const current = new AsyncLocalStorage<string | undefined>();
const pattern = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(?=-|$)/;

/**
 * The trace that a caller's header names, with a span of our own; a new one where the header names none. `parent` is
 * what it names, in the form of version 00.
 */
export function continueTrace(header: unknown): { traceparent: string; parent: string | undefined } {
  const [, traceId, spanId, flags] = (typeof header === 'string' && pattern.exec(header)) || [];
  const span = randomBytes(8).toString('hex');
  return {
    traceparent: `00-${traceId ?? randomBytes(16).toString('hex')}-${span}-${flags ?? '00'}`,
    parent: traceId && `00-${traceId}-${spanId}-${flags}`,
  };
}

/** What a header or a message carries, where it is one. */
export function readTrace(value: unknown): string | undefined {
  return typeof value === 'string' && value.length === 55 && pattern.test(value) ? value : undefined;
}

/** Does the work for a trace, or for none: its log lines, its calls of other services and its events name it. */
export function withTrace<Result>(traceparent: string | undefined, work: () => Result): Result {
  return current.run(traceparent, work);
}

/** The trace of what is being done. */
export function currentTrace(): string | undefined {
  return current.getStore();
}

/** The trace that a batch comes from; none where it comes from several. */
export function traceOf(traces: readonly (string | undefined)[]): string | undefined {
  return traces.every((trace) => trace === traces[0]) ? traces[0] : undefined;
}
