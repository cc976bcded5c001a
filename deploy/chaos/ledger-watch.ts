import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Returns the address of a service's database without the proxy. It may change when PostgreSQL restarts. */
export type DatabaseUrl = (service: string) => string;

const lookEveryMs = 250;

interface Waiting {
  status: string;
  until: number;
  resolve(isReached: boolean): void;
}

/** Waits for states of payments by reading the ledger for all of them at once, which costs the system very little. */
export class LedgerWatch {
  readonly #databaseUrl: DatabaseUrl;
  readonly #storeId: string;
  readonly #waiting = new Map<string, Waiting>();
  #client: pg.Client | null = null;
  #isOver = false;
  readonly #ended: Promise<void>;

  constructor(databaseUrl: DatabaseUrl, storeId: string) {
    this.#databaseUrl = databaseUrl;
    this.#storeId = storeId;
    this.#ended = this.#look();
  }

  /** Resolves to true when a payment has a state in the ledger, to false if it has not within that time. */
  reaches(paymentId: string, status: string, withinMs: number): Promise<boolean> {
    return new Promise((resolve) =>
      this.#waiting.set(paymentId, { status, until: Date.now() + withinMs, resolve }),
    );
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
    await this.#client?.end().catch(() => {});
  }

  async #look(): Promise<void> {
    while (!this.#isOver) {
      await sleep(lookEveryMs);
      if (this.#waiting.size === 0) continue;
      const states = await this.#read([...this.#waiting.keys()]).catch(() => {
        this.#client = null;
        return new Map<string, string>();
      });
      const now = Date.now();
      for (const [paymentId, { status, until, resolve }] of this.#waiting) {
        const isReached = states.get(paymentId) === status;
        if (!isReached && now < until) continue;
        this.#waiting.delete(paymentId);
        resolve(isReached);
      }
    }
  }

  async #read(paymentIds: string[]): Promise<Map<string, string>> {
    this.#client ??= await connect(this.#databaseUrl('orders'));
    const { rows } = await this.#client.query<{ id: string; status: string }>(
      'select id, status from payment where store_id = $1 and id = any($2)',
      [this.#storeId, paymentIds],
    );
    return new Map(rows.map(({ id, status }) => [id, status]));
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // The server may be killed at any time; the next statement fails then.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Runs a statement on its own connection. */
export async function query<Row extends object>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = await connect(url);
  return (await client.query(text, values).finally(() => client.end().catch(() => {}))).rows as Row[];
}
