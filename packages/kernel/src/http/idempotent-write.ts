import type { WriteScope } from '../db/group-commit.ts';
import type { WriteContext } from '../events/write-context.ts';

/**
 * The write of a handler that decides itself when it makes its change (`RouteDefinition.idempotency`), because a body has
 * to come in or others have to be asked first. The stages of a write run around `commit`.
 */
export interface IdempotentWrite {
  /**
   * Refuses or answers a request that was answered before. `body` is the part of the request that makes two requests the
   * same. Without a key it does nothing.
   */
  begin(body: unknown): Promise<void>;
  /** Makes the change in the transaction that stores its answer, which is the result of `change`. After `begin`. */
  commit<Result>(change: (context: WriteContext) => Promise<Result>): Promise<Result>;
  /**
   * Makes a change that is one item of a group commit, which shares a transaction with others: `write` passes on the
   * scope that it is given. The answer is what `answerOf` makes of its result; `answerOf` throws for a result that says
   * that nothing was written.
   */
  commitInGroup<Result, Given>(
    write: (scope: WriteScope<Result>) => Promise<Result>,
    answerOf: (result: Result) => Given,
  ): Promise<Given>;
}

/** Of a route without `idempotency: 'handler'`: no stage stands around its handler, so it can write in a group commit alone. */
export const groupCommitOnly: IdempotentWrite = {
  begin: async () => {},
  async commit() {
    throw new Error("The route of a handler that commits has `idempotency: 'handler'`.");
  },
  commitInGroup: async (write, answerOf) => answerOf(await write({})),
};
