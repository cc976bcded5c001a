import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span as a collector receives it. */
export interface Span {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, string | number>;
}

export interface Collector {
  /** The settings that make Waybill send its spans here. */
  env: Record<string, string>;
  spans: Span[];
  close(): Promise<void>;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}
interface Exported extends Omit<Span, 'service' | 'attributes'> {
  attributes: Attribute[];
}
interface ExportRequest {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Exported[] }[] }[];
}

const read = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, (value.stringValue ?? value.intValue)!]));

/** Starts a collector that takes spans as OpenTelemetry's does: OTLP over HTTP, in JSON. */
export async function startCollector(): Promise<Collector> {
  const spans: Span[] = [];
  const server = createServer(async (req, res) => {
    const { resourceSpans } = (await json(req)) as ExportRequest;
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(read(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({ ...span, service, attributes: read(span.attributes) });
    }
    res.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: '100' },
    spans,
    close: () => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections()),
  };
}
