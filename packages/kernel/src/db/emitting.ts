/** Transactions that write events to the outbox. */
const emitting = new WeakSet<object>();

/**
 * Marks a transaction that writes events: its commit wakes the relay, which would otherwise find them only at its next
 * poll.
 */
export function markEmitting(trx: object): void {
  emitting.add(trx);
}

export const hasEmitted = (trx: object): boolean => emitting.has(trx);
