-- One for each payment at a provider, under the id by which orders know the payment.
create table payment_session (
  store_id text not null,
  payment_id text not null,
  id text not null,
  order_id text not null,
  method_id text not null,
  provider text not null check (provider in ('stripe', 'app')),
  amount_cents bigint not null,
  currency text not null,
  description text not null,
  locale text,
  return_url text not null,
  is_test boolean not null,
  capture text not null check (capture in ('automatic', 'manual')),
  -- The provider's own id of the session; null: the provider has not made one yet.
  reference text,
  -- The provider's own id of the money, once there is any.
  intent text,
  redirect_url text,
  -- 'ended': it takes no payment any more, whatever has become of it.
  state text not null default 'open' check (state in ('open', 'ended')),
  -- From when the delays of its look-ups are counted.
  started_at timestamptz not null,
  -- Null: nothing is to be looked up.
  next_lookup_at timestamptz,
  looked_up_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, payment_id)
);
create index payment_session_id on payment_session (store_id, id);
create index payment_session_intent on payment_session (store_id, intent) where intent is not null;
create index payment_session_method on payment_session (store_id, method_id, created_at);
create index payment_session_due on payment_session (next_lookup_at) where next_lookup_at is not null;

-- The reports of providers, each once. An event of the same transaction carries each to orders.
create table payment_fact (
  store_id text not null,
  payment_id text not null,
  kind text not null,
  reference text not null,
  amount_cents bigint not null,
  at timestamptz not null,
  method text,
  failure json,
  step_id text,
  created_at timestamptz not null,
  primary key (store_id, payment_id, kind, reference)
);

-- Steps that an app was asked for, with what it has answered. Stripe keeps its own.
create table payment_step (
  store_id text not null,
  id text not null,
  payment_id text not null,
  kind text not null check (kind in ('session', 'capture', 'void', 'refund', 'end')),
  amount_cents bigint not null,
  outcome text not null default 'pending' check (outcome in ('pending', 'done', 'refused')),
  failure json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
);
create index payment_step_of_payment on payment_step (store_id, payment_id);

-- The events that have come in, without their contents, which tell of persons: each is a reason to look at its payment.
create table provider_event (
  store_id text not null,
  method_id text not null,
  event_id text not null,
  type text not null,
  -- Null: of no payment that is known.
  payment_id text,
  received_at timestamptz not null,
  primary key (store_id, method_id, event_id)
);
create index provider_event_received on provider_event (received_at);

-- How often the methods of a store were announced to other services.
create table method_announcement (
  store_id text not null primary key,
  revision bigint not null
);

-- The result of the last comparison with the providers' own lists.
create table reconciliation (
  store_id text not null primary key,
  differences json not null,
  checked_at timestamptz not null
);
