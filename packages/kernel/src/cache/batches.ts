import { shareLookUps } from '../look-ups.ts';

/** Asks for so many at once, or is one of those whom another asks for; gives the place among them, from 0, and the reply. */
export type Batches<Reply> = (
  key: string,
  ask: (count: number) => Promise<Reply>,
) => Promise<{ place: number; reply: Reply }>;

/**
 * Look-ups that are shared (`look-ups.ts`) and yet are told for how many they are made: who comes alone does not wait, who
 * comes while one is being made is part of the next one, with all who come meanwhile.
 */
export function inBatches<Reply>(): Batches<Reply> {
  const share = shareLookUps<Reply>();
  const waiting = new Map<string, { count: number }>();
  return async (key, ask) => {
    const batch = waiting.get(key) ?? { count: 0 };
    waiting.set(key, batch);
    const place = batch.count++;
    const leave = () => void (waiting.get(key) === batch && waiting.delete(key));
    try {
      const reply = await share(key, () => {
        leave();
        return ask(batch.count);
      });
      return { place, reply };
    } finally {
      leave();
    }
  };
}
