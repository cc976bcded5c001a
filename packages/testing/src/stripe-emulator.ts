import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request that the emulator answered. */
export interface StripeRequest {
  method: string;
  /** The path without the query. */
  path: string;
  params: URLSearchParams;
  key: string;
  idempotencyKey: string | null;
}

interface Intent {
  id: string;
  session: string;
  status: 'requires_payment_method' | 'processing' | 'requires_capture' | 'succeeded' | 'canceled';
  amount: number;
  received: number;
  currency: string;
  captureMethod: string;
  metadata: Record<string, string>;
  /** The id of its latest charge; null if there is none. */
  charge: string | null;
  method: string;
  isDisputed: boolean;
  error: { code: string; decline_code?: string; message: string } | null;
  created: number;
  canceledAt: number | null;
}
interface Session {
  id: string;
  status: 'open' | 'complete' | 'expired';
  intent: string | null;
  amount: number;
  currency: string;
  captureMethod: string;
  metadata: Record<string, string>;
  intentMetadata: Record<string, string>;
  reference: string | null;
  successUrl: string;
  cancelUrl: string;
  /** The key that created it, which stands for its account. */
  key: string;
}
interface Refund {
  id: string;
  intent: string;
  amount: number;
  status: string;
  metadata: Record<string, string>;
  created: number;
}
interface Dispute {
  id: string;
  intent: string;
  amount: number;
  status: string;
  created: number;
}

/** How a shopper pays in a session, or fails to. */
export type PaymentKind = 'card' | 'declined' | 'debit';

/** A fault of the next matching call: the emulator answers with it, before or after doing the call. */
export interface Fault {
  /** The call, for example `POST /v1/refunds`. */
  call: string;
  /** 0 means that the connection breaks. */
  status: 0 | 429 | 500;
  /** Whether the emulator still does what the call requests. */
  isDone: boolean;
}

export interface StripeEmulator {
  /** The address for `STRIPE_API_URL`. */
  url: string;
  requests: StripeRequest[];
  /** The registered addresses for events, by their id. */
  webhooks: Map<string, { url: string; secret: string; key: string }>;
  /** Keys that Stripe does not accept. */
  refusedKeys: Set<string>;
  /** Restricted keys, which may not register an address for events. */
  restrictedKeys: Set<string>;
  /** Whether addresses on loopback are refused, as Stripe does. */
  rejectsLoopback: boolean;
  sessions: Map<string, Session>;
  intents: Map<string, Intent>;
  refunds: Map<string, Refund>;
  disputes: Map<string, Dispute>;
  /** Coming faults; each happens once. */
  faults: Fault[];
  /** The status of new refunds: `succeeded`, or that of bank debits. */
  refundStatus: string;
  /** Returns the session of the payment with this id. */
  sessionOf(paymentId: string): Session | undefined;
  /** Pays in a session, as a shopper does. */
  pay(sessionId: string, paymentKind?: PaymentKind): Intent;
  /** Ends a debit that is still processing. */
  settlePayment(intentId: string, outcome: 'succeeded' | 'failed'): void;
  /** Refunds at Stripe itself, as a merchant does. */
  refundAtStripe(intentId: string, amount: number): Refund;
  dispute(intentId: string): Dispute;
  /** Returns the sum that was taken, minus refunds, over all payments. */
  netCents(): number;
  /** Returns the body and the headers of an event about an object of this emulator, as Stripe signs it. */
  event(
    type: string,
    object: object,
    secret: string,
    options?: { id?: string; at?: number },
  ): { body: string; headers: Record<string, string> };
  /** Returns the object with an id as the API shows it. */
  objectOf(id: string): object;
  close(): Promise<void>;
}

const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`;
/** Returns by how many milliseconds to delay a session. A key such as `sk_test_after_7000_…` asks for it. */
const getDelay = ({ key, method, path }: StripeRequest) =>
  method === 'POST' && path === '/v1/checkout/sessions' ? Number(/_after_(\d+)_/.exec(key)?.[1] ?? 0) : 0;
const seconds = () => Math.floor(Date.now() / 1000);

/** Returns the body of an error as https://docs.stripe.com/api/errors describes it. */
const createError = (type: string, message: string, more: object = {}) => ({
  error: { type, message, ...more },
});

type Reply = [status: number, body: object];
const createInvalidError = (message: string, code?: string): Reply => [
  400,
  createError('invalid_request_error', message, code ? { code } : {}),
];

/** Returns the members of `metadata` or of another object in a form, as Stripe's SDK writes them. */
function readMembers(params: URLSearchParams, name: string): Record<string, string> {
  const members: Record<string, string> = {};
  for (const [key, value] of params)
    if (key.startsWith(`${name}[`) && key.endsWith(']')) members[key.slice(name.length + 1, -1)] = value;
  return members;
}

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);

/** Returns the page where a shopper pays, with a button for each possible end. */
function renderPage({ status, amount, currency, cancelUrl }: Session, intent: Intent | null): string {
  const sum = `${(amount / 100).toFixed(2)} ${currency.toUpperCase()}`;
  const button = (paymentKind: string, text: string) =>
    `<p><button name="how" value="${paymentKind}">${text}</button></p>`;
  const form = (...buttons: string[]) => `<form method="post">${buttons.join('')}</form>`;
  const parts =
    status === 'open'
      ? [
          intent?.error ? `<p role="alert">${escapeHtml(intent.error.message)}</p>` : '',
          form(
            button('card', `Pay ${sum}`),
            button('declined', 'Pay by a card that is declined'),
            button('debit', 'Pay by bank debit'),
          ),
          `<p><a href="${escapeHtml(cancelUrl)}">Back</a></p>`,
        ]
      : intent?.status === 'processing'
        ? [form(button('succeeded', 'The bank pays'), button('failed', 'The bank refuses'))]
        : [status === 'expired' ? '<p>This session has expired.</p>' : '<p>This session is complete.</p>'];
  return `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Checkout</title><h1>Emulator of Stripe</h1>${parts.join('')}</html>`;
}

/**
 * Starts an emulator of Stripe's documented API, with the state that `stripe-mock` lacks. Each answer names the page
 * that it follows.
 */
export async function startStripeEmulator(): Promise<StripeEmulator> {
  /** The answers under idempotency keys: https://docs.stripe.com/api/idempotent_requests */
  const answered = new Map<string, { request: string; reply: Reply }>();
  // Indexes: a run with many thousand payments reads each object several times.
  const byReference = new Map<string, Session>();
  const refundsByIntent = new Map<string, Refund[]>();
  const disputesByIntent = new Map<string, Dispute[]>();
  const appendTo = <Item>(lists: Map<string, Item[]>, key: string, item: Item) =>
    void (lists.get(key)?.push(item) ?? lists.set(key, [item]));

  const emulator: StripeEmulator = {
    url: '',
    requests: [],
    webhooks: new Map(),
    refusedKeys: new Set(),
    restrictedKeys: new Set(),
    rejectsLoopback: false,
    sessions: new Map(),
    intents: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    faults: [],
    refundStatus: 'succeeded',
    sessionOf: (paymentId) => byReference.get(paymentId),
    pay(sessionId, paymentKind = 'card') {
      const session = emulator.sessions.get(sessionId)!;
      if (session.status !== 'open') throw new Error(`This session is ${session.status}.`);
      const known = session.intent === null ? undefined : emulator.intents.get(session.intent);
      const intent: Intent = known ?? {
        id: newId('pi'),
        session: session.id,
        status: 'requires_payment_method',
        amount: session.amount,
        received: 0,
        currency: session.currency,
        captureMethod: session.captureMethod,
        metadata: session.intentMetadata,
        charge: null,
        method: 'card',
        isDisputed: false,
        error: null,
        created: seconds(),
        canceledAt: null,
      };
      emulator.intents.set(intent.id, intent);
      session.intent = intent.id;
      intent.charge = newId('ch');
      if (paymentKind === 'declined') {
        // https://docs.stripe.com/declines/codes
        intent.error = {
          code: 'card_declined',
          decline_code: 'insufficient_funds',
          message: 'Your card has insufficient funds.',
        };
        return intent;
      }
      intent.error = null;
      session.status = 'complete';
      intent.method = paymentKind === 'debit' ? 'sepa_debit' : 'card';
      if (paymentKind === 'debit') intent.status = 'processing';
      else if (intent.captureMethod === 'manual') intent.status = 'requires_capture';
      else take(intent, intent.amount);
      return intent;
    },
    settlePayment(intentId, outcome) {
      const intent = emulator.intents.get(intentId)!;
      if (outcome === 'succeeded') return take(intent, intent.amount);
      intent.status = 'requires_payment_method';
      intent.error = { code: 'payment_intent_payment_attempt_failed', message: 'The debit failed.' };
    },
    refundAtStripe: (intentId, amount) => createRefund(intentId, amount, {}),
    dispute(intentId) {
      const intent = emulator.intents.get(intentId)!;
      intent.isDisputed = true;
      const dispute: Dispute = {
        id: newId('dp'),
        intent: intentId,
        amount: intent.received,
        status: 'needs_response',
        created: seconds(),
      };
      emulator.disputes.set(dispute.id, dispute);
      appendTo(disputesByIntent, intentId, dispute);
      return dispute;
    },
    netCents: () =>
      [...emulator.intents.values()].reduce((sum, { received }) => sum + received, 0) -
      [...emulator.refunds.values()].reduce(
        (sum, { amount, status }) => sum + (status === 'succeeded' ? amount : 0),
        0,
      ),
    // https://docs.stripe.com/webhooks/signature
    event(type, object, secret, { id = newId('evt'), at = seconds() } = {}) {
      const body = JSON.stringify({ id, object: 'event', type, created: at, data: { object } });
      const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
      const headers = {
        'stripe-signature': `t=${at},v1=${signature}`,
        'content-type': 'application/json; charset=utf-8',
      };
      return { body, headers };
    },
    objectOf(id) {
      const session = emulator.sessions.get(id);
      if (session) return sessionJson(session, false);
      const intent = emulator.intents.get(id);
      if (intent) return intentJson(intent, false);
      const refund = emulator.refunds.get(id);
      if (refund) return refundJson(refund);
      return disputeJson(emulator.disputes.get(id)!);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  function take(intent: Intent, amount: number): void {
    intent.status = 'succeeded';
    intent.received = amount;
  }

  const sumRefunded = (intentId: string) =>
    (refundsByIntent.get(intentId) ?? []).reduce(
      (sum, { amount, status }) => sum + (status !== 'failed' && status !== 'canceled' ? amount : 0),
      0,
    );

  function createRefund(intent: string, amount: number, metadata: Record<string, string>): Refund {
    const refund = {
      id: newId('re'),
      intent,
      amount,
      status: emulator.refundStatus,
      metadata,
      created: seconds(),
    };
    emulator.refunds.set(refund.id, refund);
    appendTo(refundsByIntent, intent, refund);
    return refund;
  }

  // https://docs.stripe.com/api/checkout/sessions/object
  function sessionJson(session: Session, isExpanded: boolean): object {
    const { id, status, intent, amount, currency, metadata, reference } = session;
    const found = intent === null ? undefined : emulator.intents.get(intent);
    return {
      id,
      object: 'checkout.session',
      status,
      payment_status: found?.status === 'succeeded' ? 'paid' : 'unpaid',
      amount_total: amount,
      currency,
      metadata,
      client_reference_id: reference,
      payment_intent: found && isExpanded ? intentJson(found, true) : intent,
      url: status === 'open' ? `${emulator.url}/pay/${id}` : null,
    };
  }

  // https://docs.stripe.com/api/payment_intents/object
  function intentJson(intent: Intent, isExpanded: boolean): object {
    const { id, status, amount, received, currency, metadata, charge, created, error } = intent;
    return {
      id,
      object: 'payment_intent',
      status,
      amount,
      amount_received: received,
      amount_capturable: status === 'requires_capture' ? amount : 0,
      capture_method: intent.captureMethod,
      currency,
      metadata,
      created,
      canceled_at: intent.canceledAt,
      last_payment_error: error && { type: 'card_error', ...error },
      latest_charge: charge && isExpanded ? chargeJson(intent) : charge,
    };
  }

  // https://docs.stripe.com/api/charges/object
  const chargeJson = ({ id, charge, amount, received, method, isDisputed, created, status }: Intent) => ({
    id: charge,
    object: 'charge',
    amount,
    amount_captured: received,
    amount_refunded: sumRefunded(id),
    captured: status === 'succeeded',
    refunded: received > 0 && sumRefunded(id) === received,
    disputed: isDisputed,
    created,
    payment_intent: id,
    payment_method_details: { type: method },
  });

  // https://docs.stripe.com/api/refunds/object
  const refundJson = ({ id, intent, amount, status, metadata, created }: Refund) => ({
    id,
    object: 'refund',
    amount,
    status,
    metadata,
    created,
    payment_intent: intent,
    failure_reason: status === 'failed' ? 'lost_or_stolen_card' : undefined,
  });

  // https://docs.stripe.com/api/disputes/object
  const disputeJson = ({ id, intent, amount, status, created }: Dispute) => ({
    id,
    object: 'dispute',
    amount,
    status,
    created,
    payment_intent: intent,
  });

  const createList = (url: string, data: object[]) => ({ object: 'list', data, has_more: false, url });

  function answer({ method, path, params, key }: StripeRequest): Reply {
    // https://docs.stripe.com/api/authentication
    if (!/^(sk|rk)_(test|live)_/.test(key) || emulator.refusedKeys.has(key)) {
      return [401, createError('invalid_request_error', `Invalid API Key provided: ${key.slice(0, 8)}****`)];
    }
    if (method === 'GET' && path === '/v1/checkout/sessions') {
      // https://docs.stripe.com/api/checkout/sessions/list
      return [200, createList(path, [])];
    }
    if (method === 'POST' && path === '/v1/webhook_endpoints') {
      // https://docs.stripe.com/api/webhook_endpoints/create
      if (emulator.restrictedKeys.has(key)) {
        return [
          403,
          createError('invalid_request_error', 'The provided key does not have the required permissions.'),
        ];
      }
      const url = params.get('url') ?? '';
      if (emulator.rejectsLoopback && /\/\/(127\.|localhost)/.test(url)) {
        return [
          400,
          createError('invalid_request_error', 'Invalid URL: URL must be publicly accessible.', {
            param: 'url',
          }),
        ];
      }
      const id = `we_${randomBytes(12).toString('hex')}`;
      const secret = `whsec_${randomBytes(24).toString('hex')}`;
      emulator.webhooks.set(id, { url, secret, key });
      return [200, { id, object: 'webhook_endpoint', url, secret, status: 'enabled' }];
    }
    const [, webhookId] = /^\/v1\/webhook_endpoints\/(we_\w+)$/.exec(path) ?? [];
    if (method === 'DELETE' && webhookId && emulator.webhooks.delete(webhookId)) {
      // https://docs.stripe.com/api/webhook_endpoints/delete
      return [200, { id: webhookId, object: 'webhook_endpoint', deleted: true }];
    }
    return answerMoney(method, path, params, key);
  }

  function answerMoney(method: string, path: string, params: URLSearchParams, key: string): Reply {
    if (method === 'POST' && path === '/v1/checkout/sessions') {
      // https://docs.stripe.com/api/checkout/sessions/create
      const amount = Number(params.get('line_items[0][price_data][unit_amount]'));
      if (!(amount >= 50)) {
        return createInvalidError(
          'The Checkout Session’s total amount must convert to at least 50 cents.',
          'amount_too_small',
        );
      }
      const session: Session = {
        id: newId('cs_test'),
        status: 'open',
        intent: null,
        amount,
        currency: params.get('line_items[0][price_data][currency]')!,
        captureMethod: params.get('payment_intent_data[capture_method]') ?? 'automatic',
        metadata: readMembers(params, 'metadata'),
        intentMetadata: readMembers(params, 'payment_intent_data[metadata]'),
        reference: params.get('client_reference_id'),
        successUrl: params.get('success_url')!,
        cancelUrl: params.get('cancel_url') ?? '',
        key,
      };
      emulator.sessions.set(session.id, session);
      if (session.reference !== null && !byReference.has(session.reference))
        byReference.set(session.reference, session);
      return [200, sessionJson(session, false)];
    }
    const [, sessionId, isExpiring] = /^\/v1\/checkout\/sessions\/(cs_\w+?)(\/expire)?$/.exec(path) ?? [];
    const session = sessionId && emulator.sessions.get(sessionId);
    if (session && isExpiring) {
      // https://docs.stripe.com/api/checkout/sessions/expire
      if (session.status !== 'open')
        return createInvalidError(
          `Only Checkout Sessions with a status in ["open"] can be expired. This is ${session.status}.`,
        );
      session.status = 'expired';
      return [200, sessionJson(session, false)];
    }
    if (session)
      return [200, sessionJson(session, params.get('expand[0]') === 'payment_intent.latest_charge')];
    const [, intentId, step] = /^\/v1\/payment_intents\/(pi_\w+)\/(capture|cancel)$/.exec(path) ?? [];
    const intent = intentId && emulator.intents.get(intentId);
    if (intent && step === 'capture') {
      // https://docs.stripe.com/api/payment_intents/capture
      if (intent.status !== 'requires_capture')
        return createInvalidError(
          `This PaymentIntent could not be captured because it is ${intent.status}.`,
          'payment_intent_unexpected_state',
        );
      const amount = Number(params.get('amount_to_capture') ?? intent.amount);
      if (amount > intent.amount)
        return createInvalidError('The amount is greater than what can be captured.', 'amount_too_large');
      take(intent, amount);
      return [200, intentJson(intent, false)];
    }
    if (intent && step === 'cancel') {
      // https://docs.stripe.com/api/payment_intents/cancel
      if (intent.status === 'succeeded' || intent.status === 'canceled')
        return createInvalidError(
          `You cannot cancel this PaymentIntent because it is ${intent.status}.`,
          'payment_intent_unexpected_state',
        );
      intent.status = 'canceled';
      intent.canceledAt = seconds();
      return [200, intentJson(intent, false)];
    }
    if (method === 'GET' && path === '/v1/payment_intents') {
      // https://docs.stripe.com/api/payment_intents/list
      return [
        200,
        createList(
          path,
          [...emulator.intents.values()].map((each) => intentJson(each, true)),
        ),
      ];
    }
    if (method === 'POST' && path === '/v1/refunds') {
      // https://docs.stripe.com/api/refunds/create
      const intentOfRefund = emulator.intents.get(params.get('payment_intent') ?? '');
      if (!intentOfRefund) return createInvalidError('No such payment_intent.', 'resource_missing');
      const amount = Number(params.get('amount'));
      const maxRefund = intentOfRefund.received - sumRefunded(intentOfRefund.id);
      if (maxRefund === 0)
        return createInvalidError('Charge has already been refunded.', 'charge_already_refunded');
      if (amount > maxRefund)
        return createInvalidError(
          `Refund amount is greater than unrefunded amount on charge (${maxRefund}).`,
        );
      return [200, refundJson(createRefund(intentOfRefund.id, amount, readMembers(params, 'metadata')))];
    }
    if (method === 'GET' && path === '/v1/refunds') {
      // https://docs.stripe.com/api/refunds/list
      const of = refundsByIntent.get(params.get('payment_intent') ?? '') ?? [];
      return [200, createList(path, of.map(refundJson))];
    }
    if (method === 'GET' && path === '/v1/disputes') {
      // https://docs.stripe.com/api/disputes/list
      const of = disputesByIntent.get(params.get('payment_intent') ?? '') ?? [];
      return [200, createList(path, of.map(disputeJson))];
    }
    return [404, createError('invalid_request_error', `Unrecognized request URL (${method}: ${path})`)];
  }

  /** Answers a repeated key with its first answer: https://docs.stripe.com/api/idempotent_requests */
  function answerOnce(request: StripeRequest): Reply {
    const { method, path, params, key, idempotencyKey } = request;
    if (method !== 'POST' || idempotencyKey === null) return answer(request);
    const text = `${path}?${params}`;
    const before = answered.get(`${key} ${idempotencyKey}`);
    if (before && before.request !== text) {
      const message = 'Keys for idempotent requests can only be used with the same parameters.';
      return [400, createError('idempotency_error', message)];
    }
    const reply = before?.reply ?? answer(request);
    answered.set(`${key} ${idempotencyKey}`, { request: text, reply });
    return reply;
  }

  /** Sends an event about an object to the addresses that its account has registered. */
  function send({ key }: Session, type: string, id: string): void {
    for (const { url, secret, key: own } of emulator.webhooks.values())
      if (own === key)
        void fetch(url, { method: 'POST', ...emulator.event(type, emulator.objectOf(id), secret) }).catch(
          // The service finds out by queries about a lost event.
          () => {},
        );
  }

  const eventsByStatus: Readonly<Record<Intent['status'], readonly string[]>> = {
    requires_payment_method: ['payment_intent.payment_failed'],
    processing: ['checkout.session.completed'],
    requires_capture: ['checkout.session.completed', 'payment_intent.amount_capturable_updated'],
    succeeded: ['checkout.session.completed', 'payment_intent.succeeded'],
    canceled: ['payment_intent.canceled'],
  };

  /** Does what a shopper does on the page of a session. */
  function payAsShopper(session: Session, paymentKind: string | null): Intent | null {
    const known = session.intent === null ? null : emulator.intents.get(session.intent)!;
    if (paymentKind === 'succeeded' || paymentKind === 'failed') {
      if (known?.status === 'processing') emulator.settlePayment(known.id, paymentKind);
    } else if (
      session.status === 'open' &&
      (paymentKind === 'card' || paymentKind === 'declined' || paymentKind === 'debit')
    )
      emulator.pay(session.id, paymentKind);
    return session.intent === null ? null : emulator.intents.get(session.intent)!;
  }

  /** Serves the page of a session, where people pay: https://docs.stripe.com/payments/checkout */
  function servePage(session: Session, form: URLSearchParams | null, res: http.ServerResponse): void {
    const before = session.status;
    const intent = form === null ? null : payAsShopper(session, form.get('how'));
    if (intent)
      for (const type of eventsByStatus[intent.status])
        send(session, type, type.startsWith('checkout.') ? session.id : intent.id);
    if (before === 'open' && session.status === 'complete') {
      return void res.writeHead(303, { location: session.successUrl }).end();
    }
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    res.end(renderPage(session, session.intent === null ? null : emulator.intents.get(session.intent)!));
  }

  const server = http.createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const { pathname, searchParams } = new URL(req.url!, 'http://stripe');
    const shown = pathname.startsWith('/pay/') && emulator.sessions.get(pathname.slice('/pay/'.length));
    if (shown) {
      const form = req.method === 'POST' ? new URLSearchParams(Buffer.concat(chunks).toString()) : null;
      return servePage(shown, form, res);
    }
    const request: StripeRequest = {
      method: req.method!,
      path: pathname,
      params: req.method === 'GET' ? searchParams : new URLSearchParams(Buffer.concat(chunks).toString()),
      key: (req.headers.authorization ?? '').replace(/^Bearer /, ''),
      idempotencyKey: (req.headers['idempotency-key'] as string | undefined) ?? null,
    };
    emulator.requests.push(request);
    const delayMs = getDelay(request);
    if (delayMs > 0) await sleep(delayMs);
    const at = emulator.faults.findIndex(({ call }) => call === `${request.method} ${request.path}`);
    const [fault] = at === -1 ? [] : emulator.faults.splice(at, 1);
    if (fault?.isDone) answerOnce(request);
    if (fault?.status === 0) return void req.socket.destroy();
    // https://docs.stripe.com/error-low-level, https://docs.stripe.com/rate-limits
    const [status, body]: Reply = fault
      ? [
          fault.status,
          createError(fault.status === 429 ? 'rate_limit_error' : 'api_error', 'Try again later.'),
        ]
      : answerOnce(request);
    res.writeHead(status, {
      'content-type': 'application/json',
      'request-id': `req_${randomBytes(7).toString('hex')}`,
    });
    res.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  emulator.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return emulator;
}
