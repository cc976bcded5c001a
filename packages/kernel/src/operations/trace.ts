import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { SpanContext } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';

/** The header of W3C Trace Context: `00-<trace id>-<span id>-<flags>`, in hexadecimal. */
export const traceHeader = 'traceparent';

const traceStorage = new AsyncLocalStorage<string | undefined>();
/** Maximum length of a header: future versions may append to the part that this version understands. */
const maxLength = 512;

/**
 * Continues the trace of a caller's header with a span of this process, or starts a new one if the header has none.
 * `parent` is the caller's traceparent, in the form of version 00.
 */
export function continueTrace(header: unknown): { traceparent: string; parent: string | undefined } {
  const caller = parse(header);
  const traceId = caller?.traceId ?? randomHex();
  const span = { traceId, spanId: randomHex().slice(16), traceFlags: caller?.traceFlags ?? 0 };
  return { traceparent: format(span), parent: caller && format(caller) };
}

/** Returns the traceparent in a header or a message, undefined if it is none. */
export function readTrace(value: unknown): string | undefined {
  const context = parse(value);
  return context && format(context);
}

/**
 * Returns sixteen random bytes, from a version 4 UUID: Node generates many of those at a time, and a call for fresh
 * bytes costs a tenth of a request.
 */
const randomHex = (): string => randomUUID().replaceAll('-', '');

function parse(value: unknown): SpanContext | undefined {
  return (typeof value === 'string' && value.length <= maxLength && parseTraceParent(value)) || undefined;
}

function format({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Runs work under a trace, or under none: its log lines, its calls of other services and its events carry it. */
export function withTrace<Result>(traceparent: string | undefined, work: () => Result): Result {
  return traceStorage.run(traceparent, work);
}

/** Returns the current trace. */
export function currentTrace(): string | undefined {
  return traceStorage.getStore();
}

/** Returns the trace of a batch; undefined if its parts come from several. */
export function findCommonTrace(traces: readonly (string | undefined)[]): string | undefined {
  return traces.every((trace) => trace === traces[0]) ? traces[0] : undefined;
}
