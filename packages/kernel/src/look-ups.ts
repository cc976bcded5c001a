/** Asks a question, or waits for an answer to the same one that was asked for somebody else. */
export type SharedLookUps<Answer> = (key: string, ask: () => Promise<Answer>) => Promise<Answer>;

interface Turn<Answer> {
  answer: Promise<Answer>;
  /** Of those who came since it began. */
  next: Promise<Answer> | null;
}

/**
 * Hundreds who ask the same at once, a bearer whom no cache knows or visitors of one page, are one question and not
 * hundreds. Who comes while it is being asked waits for the next turn, which begins after they came: so no answer is
 * older than its question, and a change holds from the very next request here, too. A failure is everybody's who waits.
 */
export function shareLookUps<Answer>(): SharedLookUps<Answer> {
  const turns = new Map<string, Turn<Answer>>();

  return (key, ask) => {
    function begin(): Promise<Answer> {
      const turn: Turn<Answer> = { answer: ask(), next: null };
      turns.set(key, turn);
      const end = () => void turns.delete(key);
      // Of nobody's concern how the next one ends but of those who wait for it.
      turn.answer.then(() => void (turn.next || end()), end);
      return turn.answer;
    }
    const turn = turns.get(key);
    if (!turn) return begin();
    turn.next ??= turn.answer.then(begin);
    return turn.next;
  };
}
