import { ApiError, type Problem } from '@waybill/contracts';
import { errors } from '../errors.ts';

const maxProblems = 100;

/** Collects what is wrong with a body, so that one answer names all of it: `decisions.md 1.5`. */
export class FoundProblems {
  readonly #refusals: ApiError[] = [];

  /** Runs a check and keeps its refusal. Returns `fallback` then, so that the other checks can go on. */
  collect<Value, Fallback>(check: () => Value, fallback: Fallback): Value | Fallback {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ApiError) || error.details === undefined) throw error;
      this.#refusals.push(error);
      return fallback;
    }
  }

  add(details: readonly Problem[]): void {
    if (details.length > 0) this.#refusals.push(errors.invalid_body({ details: [...details] }));
  }

  /**
   * Refuses the body if anything is wrong with it. A specific code comes before `invalid_body`, `decisions.md 1.6`.
   * @throws ApiError
   */
  assertNone(): void {
    const first = this.#refusals.find(({ code }) => code !== 'invalid_body') ?? this.#refusals[0];
    if (!first) return;
    const details = this.#refusals.flatMap((refusal) => refusal.details!).slice(0, maxProblems);
    if (first.code === 'invalid_body') throw errors.invalid_body({ details });
    throw new ApiError(first.code, first.status, first.message, { details });
  }
}
