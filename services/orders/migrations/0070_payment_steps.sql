-- Requests to the provider of a payment. A row is written before the provider is called, and its amount is reserved
-- until the provider has answered: a crash leaves a pending step, which is repeated under the same id.
create table payment_step (
  store_id text not null,
  id text not null,
  payment_id text not null,
  order_id text not null,
  -- 'end' closes a session that nothing was paid in.
  kind text not null check (kind in ('capture', 'void', 'refund', 'end')),
  amount_cents bigint not null,
  state text not null default 'pending' check (state in ('pending', 'done', 'failed')),
  -- Of one that failed: the provider's code and words.
  failure json,
  -- The refund that it pays out.
  refund_id text,
  -- A refund that nobody asked for: of money beyond the order's total, or for an order that was cancelled.
  reason text check (reason in ('excess', 'cancelled')),
  -- A hash of the Idempotency-Key that began it.
  request_key text,
  attempts integer not null default 0,
  due_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
);
create index payment_step_of_payment on payment_step (store_id, payment_id);
create index payment_step_due on payment_step (due_at) where state = 'pending';
create unique index payment_step_request on payment_step (store_id, request_key) where request_key is not null;

-- The payment methods of a store, as the payments service last announced them: a checkout needs no other service.
create table payment_choice (
  store_id text not null primary key,
  -- Greater after each change.
  revision bigint not null,
  methods json not null
);

-- Whether the shopper has paid and the provider does not know yet what comes of it, as with a bank debit.
alter table payment add column is_under_way boolean not null default false;
-- Where the shopper pays.
alter table payment add column redirect_url text;
-- The shopper's page of the order, where the provider leads back to.
alter table payment add column return_url text;
-- Of 'refunded': whether it gave back by itself what came beyond the order's total.
alter table payment_entry add column is_excess boolean not null default false;
