import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export { Counter, Gauge, Histogram };

/** One registry a process: what several services of one process measure is told apart by the `service` label. */
export const metrics = new Registry();

/** Memory, event loop and garbage collection of this process; once, when it starts to serve. */
export function collectProcessMetrics(): void {
  if (!metrics.getSingleMetric('process_cpu_seconds_total')) collectDefaultMetrics({ register: metrics });
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export const requestSeconds = new Histogram({
  name: 'waybill_http_request_seconds',
  help: 'Time from a request to the end of its answer.',
  labelNames: ['service', 'route', 'status'],
  buckets: seconds,
  registers: [metrics],
});

export const outboxLagSeconds = new Histogram({
  name: 'waybill_outbox_lag_seconds',
  help: 'Time from the commit of an event to its hand-over to the bus.',
  labelNames: ['service'],
  buckets: seconds,
  registers: [metrics],
});

export const outboxWaiting = new Gauge({
  name: 'waybill_outbox_waiting_messages',
  help: 'Committed events that the bus does not have yet.',
  labelNames: ['service'],
  registers: [metrics],
});

export const outboxOldestSeconds = new Gauge({
  name: 'waybill_outbox_oldest_seconds',
  help: 'The age of the oldest of them; 0 when none waits.',
  labelNames: ['service'],
  registers: [metrics],
});

export const outboxDead = new Gauge({
  name: 'waybill_outbox_dead_messages',
  help: 'Events that kept failing in a subscriber and wait for somebody to look.',
  labelNames: ['service'],
  registers: [metrics],
});

export const poolConnections = new Gauge({
  name: 'waybill_db_pool_connections',
  help: 'Connections of the pool by state.',
  labelNames: ['service', 'state'],
  registers: [metrics],
});
