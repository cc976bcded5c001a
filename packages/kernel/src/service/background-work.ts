import { type AnyDatabase, readDatabaseSize } from '../db/database.ts';
import { type PartitionOptions, partitionTask } from '../db/partitions.ts';
import { analyzeTask } from '../db/statistics.ts';
import type { Bus } from '../events/bus.ts';
import { type Relay, startRelay } from '../events/relay.ts';
import { purgeStoredResponses } from '../http/idempotency.ts';
import type { Log } from '../operations/log.ts';
import { databaseBytes } from '../operations/metrics.ts';
import { startTask, type Task, type TaskDefinition } from '../operations/tasks.ts';

/** The work of a service outside of requests: its relay, its own tasks, and those that maintain its database. */
export class BackgroundWork {
  readonly #service: string;
  readonly #log: Log;
  #relay: Relay | null = null;
  #tasks: Task[] = [];

  constructor(service: string, log: Log) {
    this.#service = service;
    this.#log = log;
  }

  /** Starts the tasks and, if there is a database, its relay and its maintenance. */
  start(
    tasks: readonly TaskDefinition[],
    database: { db: AnyDatabase; bus: Bus; partitions: PartitionOptions } | null,
  ): void {
    const [service, log] = [this.#service, this.#log];
    const maintenanceTasks = database ? createMaintenanceTasks(service, database) : [];
    if (database) this.#relay = startRelay({ db: database.db, bus: database.bus, service, log });
    this.#tasks = [...tasks, ...maintenanceTasks].map((task) => startTask(service, task, log));
  }

  /** Makes the relay look for events now. Before the start this does nothing: the relay looks when it starts. */
  wakeRelay(): void {
    this.#relay?.wake();
  }

  wakeTask(name: string): void {
    this.#tasks.find((task) => task.name === name)?.wake();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#tasks.map((task) => task.stop()));
    await this.#relay?.stop();
  }
}

/** The tasks of every service with a database. */
const createMaintenanceTasks = (
  service: string,
  { db, partitions }: { db: AnyDatabase; partitions: PartitionOptions },
): TaskDefinition[] => [
  partitionTask(partitions),
  analyzeTask(db),
  { name: 'forget-answers', everyMs: 600_000, run: () => purgeStoredResponses(db) },
  {
    name: 'measure-storage',
    everyMs: 300_000,
    run: async () => databaseBytes.set({ service }, await readDatabaseSize(db)),
  },
];
