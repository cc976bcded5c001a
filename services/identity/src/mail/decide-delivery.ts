import type { OutsiderDecision } from './outsiders.ts';

/** A verdict that delays a mail by some seconds. */
export type Deferral = Exclude<OutsiderDecision, string>;

/**
 * Decides whether an outside address may be mailed now; null means that the mail is dropped. `isCounted`: whether the
 * mail counts toward the daily limit.
 */
export type DecideDelivery = (
  address: string,
  options: { isCounted: boolean },
) => Promise<'send' | Deferral | null>;
