import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export { Counter, Gauge, Histogram };

/** The registry of this process: the `service` label distinguishes the metrics of several services in it. */
export const metrics = new Registry();

/**
 * The interval at which the lag of the event loop is measured, and so the smallest lag that it reports, in
 * milliseconds. Each measurement wakes the process: at 10 ms, prom-client's default, that was half of an idle process's
 * work.
 */
const eventLoopMonitoringPrecision = 50;

/** Collects metrics of memory, event loop and garbage collection of this process; once, when it starts to serve. */
export function collectProcessMetrics(): void {
  if (metrics.getSingleMetric('process_cpu_seconds_total')) return;
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision });
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** Events wait longer for an unreachable bus than any request does. */
const longBuckets = [30, 60, 300, 1800];

export const requestSeconds = new Histogram({
  name: 'waybill_http_request_seconds',
  help: 'Time from a request to the end of its answer.',
  labelNames: ['service', 'route', 'status'],
  buckets: seconds,
  registers: [metrics],
});

/** Fewer buckets than elsewhere: there is a set of them for each route and each kind of answer. */
export const edgeSeconds = new Histogram({
  name: 'waybill_gateway_request_seconds',
  help: 'Time from a request at the public port to the end of its answer, by the route that answered (none: refused at the door, or no route) and 2xx to 5xx, or gone where a client left before the answer.',
  labelNames: ['route', 'status'],
  buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers: [metrics],
});

export const edgeInFlight = new Gauge({
  name: 'waybill_gateway_requests_in_flight',
  help: 'Requests at the public port that are not answered to the end.',
  registers: [metrics],
});

export const internalRequests = new Counter({
  name: 'waybill_internal_requests_total',
  help: 'Requests to internal routes by who asked: the name of its token among WAYBILL_CALLERS.',
  labelNames: ['service', 'caller'],
  registers: [metrics],
});

export const outboxLagSeconds = new Histogram({
  name: 'waybill_outbox_lag_seconds',
  help: 'Time from the commit of an event to its hand-over to the bus.',
  labelNames: ['service'],
  buckets: [...seconds, ...longBuckets],
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

export const refusedRequests = new Counter({
  name: 'waybill_http_requests_refused_total',
  help: 'Requests that the gateway answered itself: by error code, overloaded, or no_answer of the service.',
  labelNames: ['reason'],
  registers: [metrics],
});

export const databaseReachable = new Gauge({
  name: 'waybill_db_reachable',
  help: '1 while the database gives connections; 0: what needs it is answered 503.',
  labelNames: ['service'],
  registers: [metrics],
});

/** The numbers that a pool of database connections reports. */
export interface PoolState {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
  options: { max?: number | undefined };
}

const pools = new Map<PoolState, string>();

new Gauge({
  name: 'waybill_db_pool_connections',
  help: 'Connections of the pool: open and idle ones, requests waiting for one, and how many there may be.',
  labelNames: ['service', 'state'],
  registers: [metrics],
  collect() {
    this.reset();
    for (const [pool, service] of pools) {
      this.set({ service, state: 'open' }, pool.totalCount);
      this.set({ service, state: 'idle' }, pool.idleCount);
      this.set({ service, state: 'waiting' }, pool.waitingCount);
      this.set({ service, state: 'max' }, pool.options.max ?? 0);
    }
  },
});

/** Measures a pool at every scrape, until the returned function is called. */
export function measurePool(service: string, pool: PoolState): () => void {
  pools.set(pool, service);
  return () => pools.delete(pool);
}

/**
 * The progress of a background task: when a run last succeeded, in milliseconds since 1970; at first, when it started.
 */
export interface TaskProgress {
  succeededAt: number;
  everyMs: number;
}

const progressByTask = new Map<TaskProgress, { service: string; task: string }>();

new Gauge({
  name: 'waybill_task_age_seconds',
  help: 'For how long no turn of a background task has succeeded: of a sweep, a measurement, what is made again.',
  labelNames: ['service', 'task'],
  registers: [metrics],
  collect() {
    this.reset();
    for (const [{ succeededAt }, labels] of progressByTask)
      this.set(labels, (Date.now() - succeededAt) / 1000);
  },
});

new Gauge({
  name: 'waybill_task_period_seconds',
  help: 'How often a background task has its turn.',
  labelNames: ['service', 'task'],
  registers: [metrics],
  collect() {
    this.reset();
    for (const [{ everyMs }, labels] of progressByTask) this.set(labels, everyMs / 1000);
  },
});

/** Measures a task at every scrape, until the returned function is called. */
export function measureTask(service: string, task: string, progress: TaskProgress): () => void {
  progressByTask.set(progress, { service, task });
  return () => progressByTask.delete(progress);
}

export const databaseBytes = new Gauge({
  name: 'waybill_db_size_bytes',
  help: "What the service's database takes on disk, indexes and what is dead in it included.",
  labelNames: ['service'],
  registers: [metrics],
});

/** The end of a table's last partition, in milliseconds since 1970, and the length of each. */
export interface PartitionCoverage {
  until: number;
  periodMs: number;
}

const coverageByTable = new Map<string, { service: string; table: string; coverage: PartitionCoverage }>();

new Gauge({
  name: 'waybill_partitions_ahead',
  help: 'For how many more of its hours, days, weeks or months a table has partitions: 3 to 4, less where making them fails.',
  labelNames: ['service', 'table'],
  registers: [metrics],
  collect() {
    for (const { service, table, coverage } of coverageByTable.values()) {
      this.set({ service, table }, (coverage.until - Date.now()) / coverage.periodMs);
    }
  },
});

/** Measures the partitions at every scrape, so that the number falls if none are created. */
export function measurePartitions(service: string, table: string, coverage: PartitionCoverage): void {
  coverageByTable.set(`${service} ${table}`, { service, table, coverage });
}
