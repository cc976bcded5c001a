import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { currentTrace } from './trace.ts';

export type Log = Logger;
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** A failure that has a line of its own in the log: whatever else fails by it is told to who debugs. */
export class ToldError extends Error {}

/** One line a second tells as much as hundreds do, and an outage makes hundreds: the rest are for who debugs. */
export function sparingly(log: Log): (fields: object, message: string) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (fields, message) => {
    const isDue = performance.now() - toldAt > 1000;
    if (isDue) toldAt = performance.now();
    log[isDue ? 'warn' : 'debug'](fields, message);
  };
}

/**
 * Structured logs, on standard output unless told otherwise. The serialisers see to it that what carries secrets (headers, bodies,
 * the parameters of a query) cannot get in through an error object.
 */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options: LoggerOptions = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin() {
      const traceId = currentTrace()?.slice(3, 35);
      return traceId ? { traceId } : {};
    },
    hooks: {
      logMethod(line, write, level) {
        const { err } = Object(line[0]) as { err?: unknown };
        if (level > pino.levels.values.debug! && err instanceof ToldError) this.debug(...line);
        else write.apply(this, line);
      },
    },
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** What is told of an error, and of what it was caused by. */
function describeError({ name, message, code, stack, cause }: Error & { code?: unknown }): object {
  return { type: name, message, code, stack, ...(cause instanceof Error && { cause: describeError(cause) }) };
}
