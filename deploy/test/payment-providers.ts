import { newId } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import type { PayingStore, PayingSystem, Purchase } from './paying.ts';

type Step = 'capture' | 'void' | 'refund';

/** A provider as the suite of all providers uses it, with the people and systems behind it. */
export interface TriedProvider {
  name: string;
  /** Creates a payment method of a store, and a purchase with it that has a page to pay. */
  begin(paying: PayingSystem, method?: object): Promise<ProviderPurchase>;
}

export interface ProviderPurchase {
  store: PayingStore;
  bought: Purchase;
  /** Pays as the shopper; the provider reports it this many times. */
  pay(times?: number): Promise<void>;
  /** Requests a step; `take` has the provider accept it, `refuse` has it refuse, with the message that is returned. */
  take(step: Step, path: string, body?: object): ReturnType<PayingStore['api']>;
  refuse(
    step: Step,
    path: string,
  ): Promise<{ reply: Awaited<ReturnType<PayingStore['api']>>; words: string }>;
  /** Waits until nobody can pay in the session any more, or until the provider was told so. */
  untilEnded(): Promise<unknown>;
}

const totalCents = 900;

const stripe: TriedProvider = {
  name: 'Stripe',
  async begin(paying, method = {}) {
    const store = paying.newStore();
    const { id, capture } = await store.stripeMethod(method);
    const bought = await store.buy(totalCents, id);
    const session = bought.session.id;
    const intent = () => paying.stripe.intents.get(paying.stripe.sessions.get(session)!.intent!)!;
    return {
      store,
      bought,
      async pay(times = 1) {
        paying.stripe.pay(session);
        const type =
          capture === 'manual' ? 'payment_intent.amount_capturable_updated' : 'payment_intent.succeeded';
        for (let i = 0; i < times; i++) await store.tell(id, type, intent().id);
      },
      take: (_, path, body) => store.api('post', path, body),
      async refuse(_, path) {
        intent().amount = 1;
        return {
          reply: await store.api('post', path),
          words: 'The amount is greater than what can be captured.',
        };
      },
      untilEnded: () =>
        eventually(() => paying.stripe.sessions.get(session)!.status === 'expired', {
          what: 'the session to expire',
        }),
    };
  },
};

const app: TriedProvider = {
  name: 'an app',
  async begin(paying, method = {}) {
    const store = paying.newStore();
    const appId = newId('app');
    const added = await store.method({ provider: 'app', name: 'Example Pay', appId, ...method });
    const answered = new Set<string>();
    const called = (type: string) =>
      eventually(
        () =>
          paying.requests.find(
            ({ type: each, data }) => each === type && data.appId === appId && !answered.has(data.requestId),
          )?.data,
        { what: `the app to be called for ${type}` },
      );
    const buying = store.buy(totalCents, added.id);
    const { session } = await called('payment.sessionRequested');
    const report = async (body: object) =>
      expect((await store.report(appId, session.id, body)).body.code).toBeUndefined();
    await report({ status: 'pending', redirectUrl: `https://pay.example.com/${session.id}` });
    const bought = await buying;
    /** Answers the call about a step while that is being requested. */
    async function answer(step: Step, path: string, body: object | undefined, status: string, more = {}) {
      const asking = store.api('post', path, body);
      const { requestId } = await called(`payment.${step}Requested`);
      answered.add(requestId);
      await report({ status, ...more });
      return asking;
    }
    const done = { capture: 'captured', void: 'voided', refund: 'refunded' };
    return {
      store,
      bought,
      async pay(times = 1) {
        const status = added.capture === 'manual' ? 'authorized' : 'captured';
        for (let i = 0; i < times; i++) await report({ status, reference: 'ch_1' });
      },
      take: (step, path, body) =>
        answer(step, path, body, done[step], { reference: `${step}-${answered.size}` }),
      async refuse(step, path) {
        const words = 'The card was closed.';
        const failure = { code: 'closed', message: words };
        return { reply: await answer(step, path, undefined, 'failed', { failure }), words };
      },
      untilEnded: () => called('payment.voidRequested'),
    };
  },
};

/** All implementations of the port, `decisions.md 22`. */
export const providers: readonly TriedProvider[] = [stripe, app];
