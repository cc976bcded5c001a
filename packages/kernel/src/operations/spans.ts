import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attributes, SpanContext, Tracer } from '@opentelemetry/api';
import { type Env, StartError } from './config.ts';
import { type Log, rateLimited } from './log.ts';
import { findCommonTrace, readTrace, withTrace } from './trace.ts';

/** A piece of work that a trace shows, if spans are exported. */
export interface SpanStart {
  service: string;
  name: string;
  kind: 'SERVER' | 'CONSUMER' | 'CLIENT';
  /** The traceparents of its causes. A span with causes in several traces starts a new trace that links to them. */
  parents: readonly (string | undefined)[];
  attributes?: () => Attributes;
}

/** Loaded only if a collector is configured: most systems have none, and a start should be quick. */
interface Recorder {
  api: typeof import('@opentelemetry/api');
  getTracer(service: string): Tracer;
}
let recorder: Recorder | null = null;

const shutdownTimeoutMs = 2_000;
const maxLinks = 100;

/**
 * Sends spans to the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names (OTLP over HTTP, JSON); the SDK itself reads
 * the other standard variables (`OTEL_TRACES_SAMPLER`, `OTEL_BSP_…`). Returns the function that sends the last of them.
 * A collector that is unreachable costs spans and nothing else.
 */
export async function exportSpans(env: Env, log: Log): Promise<() => Promise<void>> {
  const configured = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].filter(
    (name) => env[name],
  );
  if (configured.length === 0 || env.OTEL_SDK_DISABLED === 'true') return async () => {};
  const invalid = configured.find((name) => !URL.canParse(env[name]!));
  if (invalid) throw new StartError(`${invalid}: must be a URL`);
  const [api, { BasicTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, resources] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const warn = rateLimited(log);
  const report = (message: string, ...rest: unknown[]) =>
    warn({ problem: [message, ...rest].join(' ') }, 'spans');
  const silent = () => {};
  api.diag.setLogger(
    { error: report, warn: report, info: silent, debug: silent, verbose: silent },
    { suppressOverrideMessage: true },
  );
  const processor = new BatchSpanProcessor(new OTLPTraceExporter());
  const fromEnv = resources.detectResources({ detectors: [resources.envDetector] });
  const tracers = new Map<string, Tracer>();
  recorder = {
    api,
    getTracer(service) {
      const cached = tracers.get(service);
      if (cached) return cached;
      const own = { 'service.namespace': 'waybill', 'service.name': service };
      const resource = resources
        .defaultResource()
        .merge(fromEnv)
        .merge(resources.resourceFromAttributes(own));
      const tracer = new BasicTracerProvider({ resource, spanProcessors: [processor] }).getTracer('waybill');
      tracers.set(service, tracer);
      return tracer;
    },
  };
  return async () => {
    recorder = null;
    await Promise.race([
      processor.shutdown().catch(silent),
      sleep(shutdownTimeoutMs, undefined, { ref: false }),
    ]);
  };
}

interface ActiveSpan {
  traceparent: string;
  setAttributes(attributes: Attributes): void;
  end(failed: boolean): void;
}

function startSpan({ service, name, kind, parents, attributes }: SpanStart, recorder: Recorder): ActiveSpan {
  const { trace, ROOT_CONTEXT, SpanKind, SpanStatusCode } = recorder.api;
  const parent = readTrace(findCommonTrace(parents));
  const linked = parent ? [] : [...new Set(parents.flatMap((each) => readTrace(each) ?? []))];
  const span = recorder.getTracer(service).startSpan(
    name,
    {
      kind: SpanKind[kind],
      attributes: attributes?.() ?? {},
      links: linked.slice(0, maxLinks).map((each) => ({ context: parseSpanContext(each) })),
    },
    parent ? trace.setSpanContext(ROOT_CONTEXT, parseSpanContext(parent)) : ROOT_CONTEXT,
  );
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    setAttributes: (newAttributes) => span.setAttributes(newAttributes),
    end(failed) {
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

function parseSpanContext(traceparent: string): SpanContext {
  return {
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    traceFlags: Number.parseInt(traceparent.slice(53, 55), 16),
    isRemote: true,
  };
}

/** A request as a span: its name, and the traceparent that the caller sent. */
export interface ServerSpanStart {
  service: string;
  name: string;
  parent: string | undefined;
  attributes?: () => Attributes;
}

/**
 * Answers a request as a span that ends with the answer, under its trace; without a collector, under the trace
 * `fallbackTrace`.
 */
export function withServerSpan<Result>(
  { parent, ...start }: ServerSpanStart,
  fallbackTrace: string | undefined,
  res: ServerResponse,
  work: () => Result,
): Result {
  if (!recorder) return withTrace(fallbackTrace, work);
  const span = startSpan({ ...start, kind: 'SERVER', parents: [parent] }, recorder);
  res.once('close', () => {
    if (res.headersSent) span.setAttributes({ 'http.response.status_code': res.statusCode });
    span.end(res.statusCode >= 500 || !res.writableFinished);
  });
  return withTrace(span.traceparent, work);
}

/**
 * Does a piece of work as a span, under its trace; without a collector, under the trace of its parents. The span has
 * failed if the work throws or `note` says so.
 */
export async function withSpan<Result>(
  start: SpanStart,
  work: (setAttributes: (attributes: Attributes, failed: boolean) => void) => Promise<Result>,
): Promise<Result> {
  if (!recorder) return withTrace(findCommonTrace(start.parents), () => work(() => {}));
  const span = startSpan(start, recorder);
  let hasFailed = true;
  try {
    return await withTrace(span.traceparent, async () => {
      let failed = false;
      const result = await work((attributes, isFailure) => {
        span.setAttributes(attributes);
        failed = isFailure;
      });
      hasFailed = failed;
      return result;
    });
  } finally {
    span.end(hasFailed);
  }
}

/** Handles a batch of a subscription as a span. */
export function withBatchSpan(
  queue: string,
  events: readonly { trace?: string }[],
  handle: () => Promise<unknown>,
): Promise<unknown> {
  const start: SpanStart = {
    service: queue.slice(0, queue.indexOf('.')),
    name: `process ${queue}`,
    kind: 'CONSUMER',
    parents: events.map(({ trace }) => trace),
    attributes: () => ({
      'messaging.operation.name': 'process',
      'messaging.destination.name': queue,
      'messaging.batch.message_count': events.length,
    }),
  };
  return withSpan(start, handle);
}
