import type { DeliveryOutcome } from '@waybill/contracts';

interface Waiting {
  outcome: DeliveryOutcome;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Reports outcomes together. One that something waits for goes at once and takes the others along; one that is a record and
 * no more waits until there are enough, or until the first has waited for `forMs`. At a hundred calls a second each would
 * otherwise be a message, its acknowledgement and a commit of its own. While some are on their way the next ones gather.
 */
export class OutcomeReports {
  readonly #send: (outcomes: DeliveryOutcome[]) => Promise<void>;
  readonly #forMs: number;
  readonly #enough: number;
  readonly #most: number;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;
  #isSending = false;

  constructor(
    send: (outcomes: DeliveryOutcome[]) => Promise<void>,
    options: { forMs: number; enough: number; most: number },
  ) {
    this.#send = send;
    this.#forMs = options.forMs;
    this.#enough = options.enough;
    this.#most = options.most;
  }

  /** Resolves when webhooks has it, or the broker for webhooks. */
  report(outcome: DeliveryOutcome, { isRecordOnly }: { isRecordOnly: boolean }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ outcome, resolve, reject });
      if (!isRecordOnly || this.#waiting.length >= this.#enough) this.#isDue = true;
      else this.#timer ??= setTimeout(() => this.#sendAll(), this.#forMs);
      this.#sendDue();
    });
  }

  #sendAll(): void {
    this.#isDue = true;
    this.#sendDue();
  }

  #sendDue(): void {
    if (!this.#isDue || this.#isSending) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting.splice(0, this.#most);
    this.#isDue = this.#waiting.length > 0;
    this.#isSending = true;
    this.#send(batch.map(({ outcome }) => outcome))
      .then(
        () => {
          for (const { resolve } of batch) resolve();
        },
        (error) => {
          for (const { reject } of batch) reject(error);
        },
      )
      .finally(() => {
        this.#isSending = false;
        this.#sendDue();
      });
  }
}
