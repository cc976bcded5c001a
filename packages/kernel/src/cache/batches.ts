/** Somebody's place in a batch, from 0, and what came of it. */
export interface Place<Reply> {
  place: number;
  reply: Reply;
}

/**
 * Asks the same thing for many at once: who comes while it is being asked waits, and is asked for with all who came
 * meanwhile. Who comes alone does not wait. `ask` is told for how many; where it fails all of them do.
 */
export function inBatches<Question, Reply>(
  ask: (question: Question, count: number) => Promise<Reply>,
): (key: string, question: Question) => Promise<Place<Reply>> {
  interface Batch {
    count: number;
    reply: Promise<Reply>;
  }
  const asking = new Map<string, Promise<Reply>>();
  const waiting = new Map<string, Batch>();

  function begin(key: string, question: Question, count: number): Promise<Reply> {
    const reply = ask(question, count);
    asking.set(key, reply);
    const end = () => void (asking.get(key) === reply && asking.delete(key));
    reply.then(end, end);
    return reply;
  }

  return async (key, question) => {
    const present = asking.get(key);
    if (!present) return { place: 0, reply: await begin(key, question, 1) };
    let batch = waiting.get(key);
    if (!batch) {
      const next: Batch = { count: 0, reply: present.then(go, go) };
      function go(): Promise<Reply> {
        waiting.delete(key);
        return begin(key, question, next.count);
      }
      batch = next;
      waiting.set(key, batch);
    }
    const place = batch.count++;
    return { place, reply: await batch.reply };
  };
}
