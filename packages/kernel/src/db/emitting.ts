/** Transactions that write events to the outbox. */
const emittingTransactions = new WeakSet<object>();

/**
 * Marks a transaction that writes events: its commit wakes the relay, which would otherwise find them only at its next
 * poll.
 */
export function markEmitting(trx: object): void {
  emittingTransactions.add(trx);
}

/** Whether a transaction is marked as emitting events. */
export const hasEmitted = (trx: object): boolean => emittingTransactions.has(trx);
