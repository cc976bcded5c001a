import type { DeliveryOutcome } from '@waybill/contracts';

interface PendingOutcome {
  outcome: DeliveryOutcome;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Reports outcomes in batches. An outcome that other work waits for is sent at once and takes the waiting ones along. A
 * record-only outcome waits until there are enough, or until the first has waited for `maxWaitMs`: at a hundred calls a
 * second, each would otherwise cost a message, an acknowledgement and a commit of its own. While one batch is being
 * sent, the next one gathers.
 */
export class OutcomeReports {
  readonly #send: (outcomes: DeliveryOutcome[]) => Promise<void>;
  readonly #maxWaitMs: number;
  readonly #minSize: number;
  readonly #maxSize: number;
  #waiting: PendingOutcome[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;
  #isSending = false;

  constructor(
    send: (outcomes: DeliveryOutcome[]) => Promise<void>,
    options: { maxWaitMs: number; minSize: number; maxSize: number },
  ) {
    this.#send = send;
    this.#maxWaitMs = options.maxWaitMs;
    this.#minSize = options.minSize;
    this.#maxSize = options.maxSize;
  }

  /** Resolves once webhooks, or the broker on its behalf, has the outcome. */
  report(outcome: DeliveryOutcome, { isRecordOnly }: { isRecordOnly: boolean }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ outcome, resolve, reject });
      if (!isRecordOnly || this.#waiting.length >= this.#minSize) this.#isDue = true;
      else this.#timer ??= setTimeout(() => this.#sendAll(), this.#maxWaitMs);
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
    const batch = this.#waiting.splice(0, this.#maxSize);
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
