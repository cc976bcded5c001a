import { createHash } from 'node:crypto';
import {
  type AnnouncedMethod,
  newId,
  type Reservation,
  type ReservationRelease,
  type ReservationRequest,
  type StoreReply,
} from '@waybill/contracts';
import {
  Answer,
  currentTrace,
  enforceRateLimit,
  type GroupedWrite,
  type IdempotentWrite,
  rawJson,
  singleFlight,
} from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { listChoices } from '../payment-choices/choices.ts';
import { type ChosenPayment, findLastChosenPayment } from '../payments/chosen-payment-queries.ts';
import type { CheckoutPayment } from '../payments/schemas.ts';
import { openPayment } from '../payments/sessions.ts';
import { createReservedLines } from '../pricing/facts.ts';
import { type PricingRules, type RulesQuery, readRules } from '../pricing/queries.ts';
import { readLines } from '../pricing/quotes.ts';
import { createToken, deriveTokenSecret, ensureToken, hashSecret } from '../tokens/tokens.ts';
import { hasInvalidCode, priceCheckout, toOrder, toRulesQuery } from './cost.ts';
import { checkQuantities, describeRefusal, toCheckout } from './input.ts';
import {
  abandonCheckout,
  type Checkout,
  type CheckoutClaim,
  type CheckoutFacts,
  claimCheckouts,
  findCheckouts,
  findPlacedOrder,
  type KeyedRequest,
} from './queries.ts';
import type { CheckoutInput } from './routes.ts';
import { type ReservedOrder, type WrittenOrder, writeOrders } from './write-orders.ts';

/**
 * The key under which an order is placed. Without a key (null), each request of a member is a separate order. The
 * kernel stores the answer to a member's key in the order's transaction. With `onlyBegun`, a shopper's request may only
 * end a checkout that it has begun.
 */
export type CheckoutCaller = (
  | {
      by: 'shopper';
      key: string;
      onlyBegun?: true | undefined;
      isFromPage?: true;
      /** The locale in the page's address, if it contains one. */
      pageLocale?: string | undefined;
    }
  | { by: 'member'; userId: string; key: string | null }
) & { idempotentWrite: IdempotentWrite };

/** How often a checkout starts again because another request with the same key ended it. */
const maxAttempts = 5;

/** Places an order and answers its `{ order }` envelope. */
export type PlaceOrder = (storeId: string, caller: CheckoutCaller, input: CheckoutInput) => Promise<Answer>;

/** Creates the function that places orders. Concurrent orders of a store share statements and commits. */
export function createPlaceOrder(context: Context): PlaceOrder {
  const shared = singleFlight<StoreReply | null>();
  const steps = {
    readFacts: (storeId: string) =>
      shared(storeId, () => context.peers.call<StoreReply>('identity', 'GET', `/internal/stores/${storeId}`)),
    find: context.batchQuery(findCheckouts),
    readRulesInBatch: context.batchQuery(readRules),
    claim: context.batchQuery<KeyedRequest, CheckoutClaim | null>((db, storeId, request) =>
      claimCheckouts(db, storeId, request, context.config.holdSeconds),
    ),
    write: context.groupCommit({
      write: writeOrders,
      measureBytes: ({ lines }: ReservedOrder) => 1024 * (lines.length + 2),
    }),
  };
  return (...args) => placeOrder(context, steps, ...args);
}

/** The steps of placing an order, which are shared by concurrent orders. */
interface Steps {
  readFacts(storeId: string): Promise<StoreReply | null>;
  find(
    storeId: string,
    request: Pick<KeyedRequest, 'key' | 'requestHash'> & RulesQuery,
  ): Promise<CheckoutFacts>;
  readRulesInBatch(storeId: string, request: RulesQuery): Promise<PricingRules>;
  claim(storeId: string, request: KeyedRequest): Promise<CheckoutClaim | null>;
  write: GroupedWrite<ReservedOrder, WrittenOrder>;
}

/**
 * Places an order and answers the `{ order }` envelope; `services/orders/docs/checkout.md` describes the steps. A
 * repetition of the same key and body, even at the same time, yields the same order, and continues where an interrupted
 * request stopped.
 * @throws not_found, invalid_body, rate_limited, out_of_stock, resource_unavailable; the errors of `priceCheckout`; for
 * another request under the same key idempotency_conflict, or a member's idempotency_key_reused; CheckoutNotStarted
 */
async function placeOrder(
  context: Context,
  steps: Steps,
  storeId: string,
  caller: CheckoutCaller,
  input: CheckoutInput,
): Promise<Answer> {
  const key = getStoredKey(caller);
  const isShopper = caller.by === 'shopper';
  const onlyBegun = isShopper && caller.onlyBegun === true;
  const conflict = isShopper ? errors.idempotency_conflict : errors.idempotency_key_reused;
  const checkout = toCheckout(input);
  const requestHash = createHash('sha256').update(JSON.stringify(checkout)).digest();
  const [facts, { known, methods, rules }] = await Promise.all([
    steps.readFacts(storeId),
    steps.find(storeId, { key, requestHash, ...toRulesQuery(checkout) }),
  ]);
  if (!facts) throw errors.not_found();
  if (known?.isPlaced && !known.isSame) throw conflict();
  if (onlyBegun && !known?.isSame) throw new CheckoutNotStarted();
  const request = { storeId, caller, key, requestHash, onlyBegun, conflict, input, checkout };
  const placement: Placement = { context, steps, ...request, facts, methods, rules };
  // A repeated request belongs to the first one, which was already checked and counted.
  if (!known?.isSame) await checkNewRequest(placement);
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const answer = await tryToPlace(placement);
    if (answer) return answer;
  }
  throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
}

/**
 * Claims the checkout of the request's key, reserves its stock and writes its order. Returns null if the checkout ended
 * before that, so that the request must start again.
 */
async function tryToPlace(placement: Placement): Promise<Answer | null> {
  const { context, steps, storeId, key, requestHash, onlyBegun, conflict, input, checkout } = placement;
  const { db, peers } = context;
  const ownId = newId('order');
  const claimed = await steps.claim(storeId, { key, requestHash, orderId: ownId });
  if (!claimed) return null;
  const { orderId, isPlaced, isExpired, expiresAt } = claimed;
  // The checkout that was begun has ended in the meantime, so this claim is a new one.
  const isUnwanted = onlyBegun && orderId === ownId;
  if ((!isPlaced && isExpired) || isUnwanted) {
    await abandonCheckout(db, storeId, orderId);
    if (isUnwanted) throw new CheckoutNotStarted();
    return null;
  }
  if (!claimed.requestHash.equals(requestHash)) throw conflict();
  if (isPlaced) return answerPlaced(placement, orderId);

  const reservation = await reserve(peers, { storeId, orderId, expiresAt, items: checkout.items });
  if (reservation.outcome !== 'reserved') {
    await abandonCheckout(db, storeId, orderId);
    if (reservation.outcome === 'expired') return null;
    throw describeRefusal(reservation, input);
  }
  try {
    return await writeReserved(placement, orderId, reservation);
  } catch (error) {
    if (error instanceof CheckoutEnded) return null;
    throw error;
  }
}

/** A request to place an order, with the facts that its steps share. */
interface Placement {
  context: Context;
  steps: Steps;
  storeId: string;
  caller: CheckoutCaller;
  /** The stored form of the caller's key. */
  key: string;
  /** Hash of the normalised request, which tells a repetition from another request under the same key. */
  requestHash: Buffer;
  /** Whether the request may only end a checkout that it has begun. */
  onlyBegun: boolean;
  /** The error for another request under the same key. */
  conflict: () => Error;
  input: CheckoutInput;
  checkout: Checkout;
  facts: StoreReply;
  /** The store's enabled payment methods. */
  methods: CheckoutFacts['methods'];
  /** The rules that price the cart. They are read again after another order has used up a discount. */
  rules: PricingRules;
}

/** The store's own pages accept a price below the one that they have shown. */
const createTerms = (caller: CheckoutCaller) => ({
  acceptsLess: caller.by === 'shopper' && caller.isFromPage === true,
});

/**
 * Checks a request that is not a repetition, before it reserves stock.
 * @throws invalid_body, rate_limited; the errors of `priceCheckout` for a code that no cart could use
 */
async function checkNewRequest({ context, storeId, caller, input, checkout, facts, rules }: Placement) {
  checkQuantities(input, facts.checkout.maxQuantity);
  // The store's storefront has a limit of its own, because an attacker can use many addresses.
  if (caller.by === 'shopper')
    await enforceRateLimit(context.cache, `checkouts-of:${storeId}`, context.config.storeLimit);
  if (!hasInvalidCode(checkout, rules)) return;
  const lines = await readLines(context.peers, storeId, checkout.items);
  priceCheckout(checkout, lines, rules, facts.store.currency, createTerms(caller));
}

/** Answers a repeated request with the order that the first one has placed. */
async function answerPlaced(
  { context, storeId, caller, input }: Placement,
  orderId: string,
): Promise<Answer> {
  // The member's first request ended after this one began, so its stored answer applies.
  if (caller.by === 'member') await caller.idempotentWrite.begin(input);
  const { json, ...proof } = (await findPlacedOrder(context.db, storeId, orderId))!;
  if (caller.by === 'member') return rawJson(json);
  const token = await ensureToken(context, 'order', storeId, orderId, proof);
  const payment = await findLastChosenPayment(context.db, storeId, orderId);
  return toAnswer(json, token, payment ? await openPayment(context, storeId, payment) : null);
}

type ReservedStock = Extract<Reservation, { outcome: 'reserved' }>;

/**
 * Prices the reserved lines and writes the order. If another order uses up one of its discounts first, the price is
 * computed again. Returns null if that happens too often.
 * @throws CheckoutEnded; the errors of `priceCheckout`
 */
async function writeReserved(
  placement: Placement,
  orderId: string,
  reservation: ReservedStock,
): Promise<Answer | null> {
  const { context, steps, storeId, caller, key, checkout, facts, methods } = placement;
  const secret = deriveTokenSecret(context, 'order', orderId);
  for (let round = 1; round <= maxAttempts; round++) {
    const { priced, method } = await priceReserved(placement, orderId, reservation);
    const payment: ChosenPayment | null = method && {
      id: newId('payment'),
      method,
      amountCents: priced.quote.totalCents,
      returnUrl: orderPagesUrl(context, facts.store.slug, caller),
    };
    const order = {
      id: orderId,
      key,
      secretHash: hashSecret(secret),
      currency: facts.store.currency,
      payment,
      hasPaymentMethods: methods.length > 0,
      paysAtProvider: method !== null && method.provider !== 'manual',
      ...toOrder(priced, reservation),
      vatId: checkout.choices?.vatId ?? null,
      locale: checkout.choices?.locale ?? null,
      customer: checkout.customer,
      trace: currentTrace(),
    };
    try {
      const placed = await caller.idempotentWrite.commitInGroup<WrittenOrder, string | Answer>(
        (scope) => steps.write(storeId, order, scope),
        (written) =>
          caller.by === 'shopper' ? requireOrderJson(written) : rawJson(requireOrderJson(written)),
      );
      if (placed instanceof Answer) return placed;
      const opened = payment && (await openChosen(context, storeId, orderId, payment));
      return toAnswer(placed, createToken('order', orderId, secret), opened);
    } catch (error) {
      if (!(error instanceof DiscountExhausted)) throw error;
      placement.rules = await steps.readRulesInBatch(storeId, toRulesQuery(checkout));
    }
  }
  return null;
}

/** Prices the reserved lines and chooses the payment method. Releases the stock if the order cannot be placed. */
async function priceReserved(
  { context, storeId, caller, checkout, facts, methods, rules }: Placement,
  orderId: string,
  reservation: ReservedStock,
) {
  try {
    const lines = createReservedLines(reservation);
    const priced = priceCheckout(checkout, lines, rules, facts.store.currency, createTerms(caller));
    const method = caller.by === 'shopper' ? chooseMethod(methods, checkout, priced.quote.totalCents) : null;
    return { priced, method };
  } catch (error) {
    // If another request with the same key has placed the order, that order is the answer.
    if (!(await abandonCheckout(context.db, storeId, orderId))) throw new CheckoutEnded();
    await release(context, { storeId, orderId });
    throw error;
  }
}

/** Returns an order's new payment as the shopper sees it. A payment without a provider is shown as it was written. */
async function openChosen(
  context: Context,
  storeId: string,
  orderId: string,
  { id, method }: ChosenPayment,
): Promise<CheckoutPayment | null> {
  if (method.provider === 'manual') return { id, status: 'pending', redirectUrl: null };
  const row = await findLastChosenPayment(context.db, storeId, orderId);
  return row ? openPayment(context, storeId, row) : null;
}

/** Returns the written `{ order }` envelope. @throws DiscountExhausted, CheckoutEnded */
function requireOrderJson(written: WrittenOrder): string {
  if ('problem' in written)
    throw written.problem === 'usedUp' ? new DiscountExhausted() : new CheckoutEnded();
  return written.json;
}

/**
 * Builds the shopper's answer from the `{ order }` envelope, the token that shows the order again, `decisions.md 17.4`,
 * and the payment. An order from before tokens has neither token nor payment.
 */
function toAnswer(json: string, token: string | null, payment: CheckoutPayment | null): Answer {
  if (token === null) return rawJson(json);
  return rawJson(
    `${json.slice(0, -1)}, "token": ${JSON.stringify(token)}, "payment": ${JSON.stringify(payment)}}`,
  );
}

/**
 * Returns the method that pays the order; null if none is needed.
 * @throws payment_method_required, invalid_payment_method
 */
function chooseMethod(
  methods: readonly AnnouncedMethod[],
  { customer, choices = {} }: Checkout,
  totalCents: number,
): AnnouncedMethod | null {
  // An address may have no country, which is then empty.
  const country = customer.shippingAddress?.country || undefined;
  const choosable = listChoices(methods, { country, totalCents });
  const { paymentMethodId } = choices;
  const chosen = choosable.find(({ id }) => id === paymentMethodId);
  if (paymentMethodId !== undefined && !chosen) throw errors.invalid_payment_method();
  if (totalCents === 0) return null;
  if (!chosen && choosable.length > 0) throw errors.payment_method_required();
  return chosen ?? null;
}

/**
 * Returns the URL to which a provider sends the shopper back, without the order's token, because the token is a secret
 * that is not stored in plain text.
 */
function orderPagesUrl({ config }: Context, slug: string, caller: CheckoutCaller): string {
  const locale = caller.by === 'shopper' && caller.pageLocale ? `${caller.pageLocale}/` : '';
  return `${config.getStoreUrl(slug)}${locale}orders/`;
}

/** The checkout no longer exists. */
class CheckoutEnded extends Error {}

/** A discount was used up before the order was written. */
class DiscountExhausted extends Error {}

/** The request may only end a checkout that it has begun, but it has begun none. */
export class CheckoutNotStarted extends Error {}

/**
 * Returns the stored form of a key. It is hashed, because anybody with the key itself gets the order's answer again.
 */
const hashKey = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;

/**
 * Returns the stored form of a request's key. The line break keeps members' keys apart from shoppers' keys, because a
 * header cannot contain one.
 */
function getStoredKey(caller: CheckoutCaller): string {
  if (caller.by === 'shopper') return hashKey(caller.key);
  return hashKey(`member\n${caller.userId}\n${caller.key ?? newId('order')}`);
}

/** Reserves stock for an order. @throws resource_unavailable while the catalog is not part of the deployment */
async function reserve(peers: Context['peers'], request: ReservationRequest): Promise<Reservation> {
  const reservation = await peers.call<Reservation>('catalog', 'POST', '/internal/reservations', request);
  if (!reservation) throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
  return reservation;
}

/** Puts the stock back at once. If that fails, settling the reservation puts it back later. */
async function release({ peers, log }: Context, request: ReservationRelease): Promise<void> {
  await peers
    .call('catalog', 'POST', '/internal/reservations/release', request)
    .catch((err: unknown) =>
      log.warn({ err, ...request }, 'the stock of a refused order could not be released'),
    );
}
