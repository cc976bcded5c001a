import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { SpanContext } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';

/** The header of W3C Trace Context: `00-<trace id>-<span id>-<flags>`, in hexadecimal. */
export const traceHeader = 'traceparent';

const current = new AsyncLocalStorage<string | undefined>();
/** No caller's header is longer by what we understand of it: versions to come may add to it. */
const maxLength = 512;

/**
 * The trace that a caller's header names, with a span of our own; a new one where the header names none. `parent` is
 * what it names, in the form of version 00.
 */
export function continueTrace(header: unknown): { traceparent: string; parent: string | undefined } {
  const caller = parse(header);
  const traceId = caller?.traceId ?? randomHex();
  const own = { traceId, spanId: randomHex().slice(16), traceFlags: caller?.traceFlags ?? 0 };
  return { traceparent: format(own), parent: caller && format(caller) };
}

/** What a header or a message carries, where it is one. */
export function readTrace(value: unknown): string | undefined {
  const context = parse(value);
  return context && format(context);
}

/** Sixteen bytes, of a version 4 UUID: Node makes those many at a time, and a call for fresh bytes costs as much as a tenth of a request. */
const randomHex = (): string => randomUUID().replaceAll('-', '');

function parse(value: unknown): SpanContext | undefined {
  return (typeof value === 'string' && value.length <= maxLength && parseTraceParent(value)) || undefined;
}

function format({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
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
