import type { KeyedWrite } from '../db/group-commit.ts';

/** A request's key in the hands of a handler that says itself when the change is made, `RouteDefinition.idempotency`. */
export interface Once {
  /** Refuses, or answers, what was asked before; `body` is what the request sent, in so far as it makes it the same. */
  begin(body: unknown): Promise<void>;
  /** Makes the change in the transaction that keeps its answer, which is what `change` gives. After `begin`. */
  commit<Result>(change: () => Promise<Result>): Promise<Result>;
  /**
   * The same for a change that is one item of a group commit, and shares a transaction with others: `write` passes on what
   * it is given. Gives and keeps what `answerOf` makes of its result, which throws for one that says that nothing was
   * written.
   */
  commitWithOthers<Result, Given>(
    write: (keyed?: KeyedWrite<Result>) => Promise<Result>,
    answerOf: (result: Result) => Given,
  ): Promise<Given>;
}

/** Without a key. */
export const unkeyed: Once = {
  begin: async () => {},
  commit: (change) => change(),
  commitWithOthers: async (write, answerOf) => answerOf(await write()),
};
