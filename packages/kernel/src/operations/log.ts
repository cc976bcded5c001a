import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { currentTrace } from './trace.ts';

export type Log = Logger;
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** An error that was already reported: further failures that it causes are logged at `debug`. */
export class ReportedError extends Error {}

/**
 * Returns a function that logs at most one warning a second, and the rest at `debug`: an outage causes hundreds of
 * equal ones.
 */
export function rateLimited(log: Log): (fields: object, message: string) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (fields, message) => {
    const isDue = performance.now() - reportedAt > 1000;
    if (isDue) reportedAt = performance.now();
    log[isDue ? 'warn' : 'debug'](fields, message);
  };
}

/**
 * Creates a structured log, on standard output or to `destination`. The serialisers ensure that secrets (headers,
 * bodies, the parameters of a query) do not get in through an error object.
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
        if (level > pino.levels.values.debug! && err instanceof ReportedError) this.debug(...line);
        else write.apply(this, line);
      },
    },
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Returns the logged fields of an error and its cause. */
function describeError({ name, message, code, stack, cause }: Error & { code?: unknown }): object {
  return { type: name, message, code, stack, ...(cause instanceof Error && { cause: describeError(cause) }) };
}
