import { setTimeout as sleep } from 'node:timers/promises';
import type { StripeEmulator } from '@waybill/testing';
import { expectStatus } from '../testing/accounts.ts';
import { type Caller, type Reply, send } from '../testing/client.ts';
import type { LedgerWatch } from './ledger-watch.ts';
import { randomFrom } from './random.ts';

/** How long a step of a shopper or a merchant is repeated until it is answered. */
const patienceMs = 180_000;
const pauseMs = 500;

/** Maximum number of lives that wait for a look-up in the background. */
const mostWaiting = 1_000;

/** Interval of the look-ups of an undecided payment: `PAYMENT_LOOKUP_DELAYS_SECONDS`. */
export const lookUpEverySeconds = 10;

/** Time after the scheduled look-up within which the ledger has to learn of money whose event was lost. */
const recoveredWithinMs = 60_000;

/** One order with its payment at the provider, as its initiator knows it. */
interface Purchase {
  orderId: string;
  token: string;
  paymentId: string;
  totalCents: number;
  isCancelled: boolean;
  /** The sum of the refunds that were answered as made. */
  refundedCents: number;
  /** The sum of a capture that was answered as made. */
  capturedCents: number;
  /** Whether a request got no answer that shows how it ended. */
  isUncertain: boolean;
  /** The provider's page; null if the checkout had no session yet. */
  redirectUrl: string | null;
}

/** The provider's sums of one payment. */
interface Taken {
  takenCents: number;
  refundedCents: number;
}

/** The sums of one payment in the ledger of orders. */
export interface Recorded extends Taken {
  paymentId: string;
  orderId: string;
  /** Number of entries for money that was taken. */
  captures: number;
}

export interface PayingShop {
  storeId: string;
  baseUrl: string;
  /** Callers with the merchant's key, and without a key. */
  merchant: Caller;
  shopper: Caller;
  stripe: StripeEmulator;
  /** The methods that capture automatically, and manually. */
  methods: { automatic: string; manual: string };
  variantId: string;
  ledger: LedgerWatch;
  /** Returns when the session of a payment was begun. */
  startOf(paymentId: string): Promise<Date>;
}

/** Shoppers who pay at the emulator of a provider, and a merchant who captures, voids, refunds and cancels. */
export class Payments {
  readonly purchases: Purchase[] = [];
  readonly counts = new Map<string, number>();
  /** Milliseconds from the scheduled look-up until the ledger had learned of money whose event was lost. */
  readonly recoveries: number[] = [];
  readonly unexpected: string[] = [];
  readonly #waiting = new Set<Promise<void>>();
  readonly #shop: PayingShop;
  readonly #random: () => number;
  #number = 0;

  constructor(shop: PayingShop, seed: number) {
    this.#shop = shop;
    this.#random = randomFrom(seed);
  }

  #note(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  #isOneIn(n: number): boolean {
    return this.#random() * n < 1;
  }

  /** The number of payments that have begun. */
  get begun(): number {
    return this.#number;
  }

  /** Runs the life of one payment. If it has to wait for a look-up, the rest of it runs in the background. */
  async live(): Promise<void> {
    const rest = await this.#begin();
    if (!rest) return;
    if (rest.isTold) return rest.live();
    const waiting = rest
      .live()
      .catch((error) => void this.unexpected.push(`unexpected: ${error.stack}`))
      .finally(() => this.#waiting.delete(waiting));
    this.#waiting.add(waiting);
    if (this.#waiting.size > mostWaiting) await Promise.race(this.#waiting);
  }

  /** The number of lives that wait for a look-up. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when every life is over. */
  async ended(): Promise<void> {
    await Promise.all(this.#waiting);
  }

  /** Runs a life up to the provider's event. Returns null if it ended before. */
  async #begin(): Promise<{ isTold: boolean; live: () => Promise<void> } | null> {
    const { stripe, methods } = this.#shop;
    const number = ++this.#number;
    const isManual = this.#isOneIn(2);
    const methodId = isManual ? methods.manual : methods.automatic;
    this.#breakSometimes('POST /v1/checkout/sessions');
    const purchase = await this.#checkout(number, methodId);
    if (!purchase) return null;
    const session = await this.#sessionOf(purchase);
    if (!session || this.#isOneIn(12)) {
      this.#note('given up');
      await this.#cancel(purchase);
      return null;
    }
    if (this.#isOneIn(8)) {
      stripe.pay(session, 'declined');
      this.#note('declined first');
    }
    const isRace = this.#isOneIn(10);
    const cancelling = isRace ? this.#cancel(purchase) : null;
    // The cancellation may have expired the session already.
    const isPaid = stripe.sessions.get(session)!.status === 'open' && stripe.pay(session) !== undefined;
    await cancelling;
    if (!isPaid) return null;
    if (isRace) this.#note('cancelled while it was paid');
    const paidAt = Date.now();
    const isTold = await this.#tell(methodId, stripe.sessions.get(session)!.intent!, isManual);
    if (isRace) return null;
    return { isTold, live: () => this.#finishLife(purchase, { isManual, lostAt: isTold ? null : paidAt }) };
  }

  /** Runs the rest of a life, after the provider's event was sent or lost. */
  async #finishLife(
    purchase: Purchase,
    { isManual, lostAt }: { isManual: boolean; lostAt: number | null },
  ): Promise<void> {
    if (!(await this.#untilStatus(purchase, isManual ? 'authorized' : 'captured'))) return;
    if (lostAt !== null) await this.#noteRecovery(purchase, lostAt);
    if (isManual && !(await this.#settle(purchase))) return;
    await this.#refund(purchase);
  }

  async #noteRecovery({ paymentId }: Purchase, lostAt: number): Promise<void> {
    const knownAt = Date.now();
    const started = (await this.#shop.startOf(paymentId)).getTime();
    const everyMs = lookUpEverySeconds * 1000;
    const scheduled = started + Math.ceil((lostAt - started) / everyMs) * everyMs;
    // The shopper's page may have looked it up before.
    this.recoveries.push(Math.max(0, knownAt - scheduled));
  }

  async #checkout(number: number, paymentMethodId: string): Promise<Purchase | null> {
    const { storeId, shopper, variantId } = this.#shop;
    const quantity = 1 + Math.floor(this.#random() * 40);
    const body = {
      items: [{ variantId, quantity }],
      customer: { name: `Payer ${number}`, email: `payer-${number % 5_000}@example.com` },
      paymentMethodId,
    };
    const reply = await waitUntilAnswered(() =>
      shopper('POST', `/storefront/${storeId}/orders`, body, { 'idempotency-key': `pay-${number}` }),
    );
    if (!reply) return null;
    const { order, token, payment } = expectStatus(reply, 201).body;
    const purchase: Purchase = {
      orderId: order.id,
      token,
      paymentId: payment.id,
      totalCents: order.totalCents,
      isCancelled: false,
      refundedCents: 0,
      capturedCents: 0,
      isUncertain: false,
      redirectUrl: payment.redirectUrl,
    };
    this.purchases.push(purchase);
    return purchase;
  }

  /** Returns the session to which the shopper is led, after waiting for its page if the checkout had none. */
  async #sessionOf({ token, paymentId, redirectUrl }: Purchase): Promise<string | null> {
    const { storeId, shopper, stripe } = this.#shop;
    const found =
      redirectUrl ??
      (await waitUntilTrue(async () => {
        const { body } = await shopper('GET', `/storefront/${storeId}/orders/${token}`);
        return body?.payment?.redirectUrl ?? null;
      }));
    return found === null ? null : (stripe.sessionOf(paymentId)?.id ?? null);
  }

  /** Sends the provider's events: some are lost, some come twice or late. Returns whether one was sent. */
  async #tell(methodId: string, intent: string, isManual: boolean): Promise<boolean> {
    const { stripe, baseUrl } = this.#shop;
    if (this.#isOneIn(4)) {
      this.#note('events lost');
      return false;
    }
    const type = isManual ? 'payment_intent.amount_capturable_updated' : 'payment_intent.succeeded';
    const webhook = [...stripe.webhooks.values()].find(({ url }) => url.includes(methodId))!;
    const { body, headers } = stripe.event(type, stripe.objectOf(intent), webhook.secret);
    const times = this.#isOneIn(5) ? 2 : 1;
    if (this.#isOneIn(5)) await sleep(this.#random() * 3_000);
    for (let i = 0; i < times; i++) {
      // Repeated until it is taken, as the provider does.
      await waitUntilAnswered(() => send(baseUrl, 'POST', `/payments/${methodId}/events`, { headers, body }));
      this.#note('events sent');
    }
    return true;
  }

  /** Captures the authorised sum, all of it or a part, or lets it go. Returns whether money was taken. */
  async #settle(purchase: Purchase): Promise<boolean> {
    const { stripe } = this.#shop;
    const intent = stripe.sessions.get(stripe.sessionOf(purchase.paymentId)!.id)!.intent!;
    if (this.#isOneIn(8)) {
      this.#note('cancelled when authorised');
      await this.#cancel(purchase);
      return false;
    }
    const isVoid = this.#isOneIn(8);
    const path = isVoid ? 'void' : 'capture';
    this.#breakSometimes(`POST /v1/payment_intents/${intent}/${isVoid ? 'cancel' : 'capture'}`);
    const part = this.#isOneIn(2) ? Math.ceil(purchase.totalCents / 2) : purchase.totalCents;
    const reply = await this.#asMerchant(
      `/api/v1/payments/${purchase.paymentId}/${path}`,
      isVoid ? undefined : { amountCents: part },
      `${path}-${purchase.paymentId}`,
    );
    if (reply?.status !== 200 && reply?.status !== 202) {
      purchase.isUncertain = true;
      this.#note(`${path} ${reply ? `answered ${reply.status} ${reply.body?.code}` : 'without an answer'}`);
      return false;
    }
    this.#note(isVoid ? 'voided' : 'captured by hand');
    if (isVoid) return false;
    purchase.capturedCents = part;
    return this.#untilStatus(purchase, 'captured');
  }

  /** Refunds a part, sometimes twice. */
  async #refund(purchase: Purchase): Promise<void> {
    const takenCents = purchase.capturedCents || purchase.totalCents;
    for (let i = 0; i < 2 && this.#isOneIn(2); i++) {
      this.#breakSometimes('POST /v1/refunds');
      const amountCents = Math.max(1, Math.floor(takenCents / (3 + i)));
      const path = `/api/v1/orders/${purchase.orderId}/refunds`;
      const reply = await this.#asMerchant(path, { amountCents }, `refund-${purchase.orderId}-${i}`);
      if (reply?.status !== 201) {
        purchase.isUncertain = true;
        this.#note(`refund ${reply ? `answered ${reply.status} ${reply.body?.code}` : 'without an answer'}`);
        return;
      }
      this.#note('refunds');
      purchase.refundedCents += amountCents;
    }
  }

  /** Sends a request under a key until it is answered, even if the previous step has no answer yet. */
  #asMerchant(path: string, body: object | undefined, key: string): Promise<Reply | null> {
    return waitUntilAnswered(
      () => this.#shop.merchant('POST', path, body, { 'idempotency-key': key }),
      ({ body: answer }) => ['invalid_state', 'idempotency_in_progress'].includes(answer?.code),
      // A refusal is kept under its key: https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
      (i) => this.#shop.merchant('POST', path, body, { 'idempotency-key': `${key}-${i}` }),
    );
  }

  async #cancel(purchase: Purchase): Promise<void> {
    purchase.isCancelled = true;
    const path = `/api/v1/orders/${purchase.orderId}`;
    const reply = await waitUntilAnswered(() => this.#shop.merchant('PATCH', path, { status: 'cancelled' }));
    if (reply?.status !== 200) purchase.isUncertain = true;
    else this.#note('cancelled');
  }

  /** Waits until the ledger has a payment in a state. The provider has the money, so a timeout is a violation. */
  async #untilStatus(purchase: Purchase, status: string): Promise<boolean> {
    const { paymentId } = purchase;
    const isReached = await this.#shop.ledger.reaches(paymentId, status, patienceMs);
    if (!isReached) {
      purchase.isUncertain = true;
      this.unexpected.push(`${paymentId}: not ${status} within ${patienceMs / 1000} s`);
    }
    return isReached;
  }

  /** Makes one call of twenty fail at the provider, before or after it was done. */
  #breakSometimes(call: string): void {
    if (!this.#isOneIn(20)) return;
    const status = ([0, 429, 500] as const)[Math.floor(this.#random() * 3)]!;
    this.#shop.stripe.faults.push({ call, status, isDone: this.#isOneIn(2) && status !== 429 });
    this.#note('faults of the provider');
  }

  /** Returns the differences between the ledger and the provider, and anything that happened twice. */
  judge(recorded: readonly Recorded[]): string[] {
    const { stripe } = this.#shop;
    const problems = [...this.unexpected];
    const late = this.recoveries.filter((ms) => ms > recoveredWithinMs).length;
    if (late > 0)
      problems.push(
        `${late} lost events were made good for over ${recoveredWithinMs / 1000} s after their look-up`,
      );
    const byId = new Map(recorded.map((each) => [each.paymentId, each]));
    const taken = sumTaken(stripe);
    for (const [paymentId, { takenCents, refundedCents }] of taken) {
      const here = byId.get(paymentId);
      if (!here) problems.push(`${paymentId}: the provider took ${takenCents} for no payment`);
      else if (here.takenCents !== takenCents || here.refundedCents !== refundedCents)
        problems.push(
          `${paymentId}: the provider took ${takenCents} and gave back ${refundedCents}, the ledger has ${here.takenCents} and ${here.refundedCents}`,
        );
    }
    for (const { paymentId, takenCents, captures } of recorded) {
      if (captures > 1) problems.push(`${paymentId}: taken ${captures} times`);
      if (takenCents > 0 && !taken.has(paymentId)) problems.push(`${paymentId}: the provider took nothing`);
    }
    const steps = [...stripe.refunds.values()].map(({ metadata }) => metadata.waybill_step);
    if (new Set(steps).size !== steps.length) problems.push('a step was refunded twice');
    const sessions = [...stripe.sessions.values()].map(({ reference }) => reference);
    if (new Set(sessions).size !== sessions.length) problems.push('a payment has two sessions');
    for (const { paymentId, isCancelled, isUncertain, refundedCents, capturedCents } of this.purchases) {
      const there = taken.get(paymentId) ?? { takenCents: 0, refundedCents: 0 };
      if (isCancelled && there.takenCents !== there.refundedCents)
        problems.push(`${paymentId}: cancelled, and ${there.takenCents - there.refundedCents} were kept`);
      if (isCancelled || isUncertain) continue;
      if (there.refundedCents !== refundedCents)
        problems.push(
          `${paymentId}: ${refundedCents} answered as refunded, ${there.refundedCents} given back`,
        );
      if (capturedCents > 0 && there.takenCents !== capturedCents)
        problems.push(`${paymentId}: ${capturedCents} answered as captured, ${there.takenCents} taken`);
    }
    return problems;
  }
}

/** Returns the sums that the provider took and refunded, by payment. */
export function sumTaken(stripe: StripeEmulator): Map<string, Taken> {
  const taken = new Map<string, Taken>();
  const paymentIdByIntent = new Map<string, string>();
  for (const { id, metadata, received } of stripe.intents.values()) {
    if (received === 0) continue;
    const paymentId = metadata.waybill_payment!;
    paymentIdByIntent.set(id, paymentId);
    const before = taken.get(paymentId) ?? { takenCents: 0, refundedCents: 0 };
    taken.set(paymentId, { ...before, takenCents: before.takenCents + received });
  }
  for (const { intent, amount, status } of stripe.refunds.values()) {
    if (status === 'succeeded') taken.get(paymentIdByIntent.get(intent)!)!.refundedCents += amount;
  }
  return taken;
}

/** Repeats a request until it gets an answer other than a server error; null if there was none for minutes. */
async function waitUntilAnswered(
  ask: () => Promise<Reply>,
  isUnsettled: (reply: Reply) => boolean = () => false,
  askAnew: (i: number) => Promise<Reply> = ask,
): Promise<Reply | null> {
  const deadline = Date.now() + patienceMs;
  let last: Reply | null = null;
  let refusals = 0;
  while (Date.now() < deadline) {
    const reply = await withTimeout(refusals === 0 ? ask() : askAnew(refusals)).catch(() => null);
    if (reply && reply.status < 500 && reply.status !== 429) {
      if (!isUnsettled(reply)) return reply;
      last = reply;
      if (reply.body?.code === 'invalid_state') refusals++;
      if (refusals > 40) break;
    }
    await sleep(pauseMs);
  }
  return last;
}

function withTimeout(reply: Promise<Reply>): Promise<Reply> {
  return Promise.race([
    reply,
    sleep(30_000, undefined, { ref: false }).then(() => {
      throw new Error('no answer within 30 s');
    }),
  ]);
}

async function waitUntilTrue<Result>(check: () => Promise<Result | null>): Promise<Result | null> {
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    const found = await check().catch(() => null);
    if (found) return found;
    await sleep(pauseMs);
  }
  return null;
}
