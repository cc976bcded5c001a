import type { WriteScope } from '../db/group-commit.ts';
import type { WriteContext } from '../events/write-context.ts';

/**
 * The write of a handler that decides itself when it makes its change (`RouteDefinition.idempotency`), because it first
 * has to read a body or call other services. The stages of a write run around `commit`.
 */
export interface IdempotentWrite {
  /** Whether the request has a key: a conflict is then stored, so it must not be thrown before `begin`. */
  hasKey: boolean;
  /**
   * Refuses a request that was answered before, or replays its answer. `body` is the part of the request that must be
   * equal in a repetition. Without a key it does nothing.
   */
  begin(body: unknown): Promise<void>;
  /**
   * Makes the change in the transaction that stores its answer, which is the result of `change`. Call it after `begin`.
   */
  commit<Result>(change: (context: WriteContext) => Promise<Result>): Promise<Result>;
  /**
   * Makes a change that is one item of a group commit, which shares a transaction with others: `write` must pass on the
   * scope that it gets. `toAnswer` turns the result into the answer, and throws for a result that means that nothing
   * was written.
   */
  commitInGroup<Result, Given>(
    write: (scope: WriteScope<Result>) => Promise<Result>,
    toAnswer: (result: Result) => Given,
  ): Promise<Given>;
}

/**
 * The write of a route without `idempotency: 'handler'`: no stage runs around its handler, so it can only write in a
 * group commit.
 */
export const groupCommitOnly: IdempotentWrite = {
  hasKey: false,
  begin: async () => {},
  async commit() {
    throw new Error("The route of a handler that commits has `idempotency: 'handler'`.");
  },
  commitInGroup: async (write, toAnswer) => toAnswer(await write({})),
};
