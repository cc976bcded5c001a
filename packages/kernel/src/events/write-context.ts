import type { AuditAction, EventData, EventDefinition } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import { type AuditOptions, type AuditTargetRow, audit } from '../db/audit.ts';
import { emit } from './emit.ts';

/**
 * One write to the service's database. A handler that writes receives it and passes it on: everything that the write
 * reads and changes goes through `trx`, and is committed or rolled back together.
 */
// biome-ignore lint/suspicious/noExplicitAny: a service's handlers name their own tables
export interface WriteContext<Tables = any> {
  readonly trx: Transaction<Tables>;
  /** Records a domain event, which is published if and only if the transaction commits. */
  emit<E extends EventDefinition>(
    event: E,
    storeId: string,
    data: EventData<E> | { json: string },
  ): Promise<void>;
  /** Records who made a change, in the audit of a store or an organisation. */
  audit(
    owners: string | readonly string[],
    action: AuditAction,
    about: AuditTargetRow | readonly AuditTargetRow[],
    options?: AuditOptions,
  ): Promise<void>;
  /**
   * Runs an effect once the transaction has committed, and never if it fails: others must not learn of the change
   * earlier.
   */
  afterCommit(effect: () => unknown): void;
}

/** Creates what a handler that writes gets: a transaction, and what belongs into it. */
export function createWriteContext<Tables>(
  trx: Transaction<Tables>,
  afterCommit: (effect: () => unknown) => void,
): WriteContext<Tables> {
  return {
    trx,
    emit: (event, storeId, data) => emit(trx, event, storeId, data),
    audit: (owners, action, about, options) => audit(trx, owners, action, about, options),
    afterCommit,
  };
}
