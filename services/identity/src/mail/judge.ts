import type { Verdict } from './outsiders.ts';

/** A mail that waits, for so many seconds. */
export type PutOff = Exclude<Verdict, string>;

/** Whether an address outside may be mailed now; null: nobody is to have the mail. `isCounted`: it counts for the day. */
export type Judge = (address: string, options: { isCounted: boolean }) => Promise<'send' | PutOff | null>;
