-- Invoices, credit notes and packing slips: `decisions.md 23.5`. A document never changes: what it says is stored with it,
-- and its files are stored once they are made.
create table document_setting (
  store_id text primary key,
  settings json not null,
  -- Whether the invoices are issued by themselves: for the trigger below.
  is_automatic boolean not null,
  -- The hash of the logo's bytes, in `document_logo`.
  logo_hash text,
  -- When the admins were last mailed that the seller is incomplete.
  notified_at timestamptz,
  updated_at timestamptz not null
);

-- One row for each store and kind: who issues locks it until the transaction ends, so that numbers have no gap.
create table document_counter (
  store_id text not null,
  kind text not null check (kind in ('invoice', 'creditNote')),
  last_number bigint not null,
  primary key (store_id, kind)
);

create table document (
  store_id text not null,
  id text not null,
  order_id text not null,
  kind text not null check (kind in ('invoice', 'creditNote', 'packingSlip')),
  refund_id text,
  -- Null: a packing slip.
  number text,
  -- Of its address, with 128 random bits.
  secret text not null,
  has_xml boolean not null,
  content json not null,
  created_at timestamptz not null,
  primary key (store_id, id)
);
create index document_of_order on document (store_id, order_id, created_at, id);
create unique index document_invoice on document (store_id, order_id) where kind = 'invoice';
create unique index document_credit_note on document (store_id, refund_id) where kind = 'creditNote';

-- Without a file yet: the task that makes files looks here.
create table document_file (
  store_id text not null,
  document_id text not null,
  -- Null: to be made.
  pdf bytea,
  xml text,
  failures integer not null default 0,
  due_at timestamptz not null,
  primary key (store_id, document_id)
);
-- A PDF is compressed already.
alter table document_file alter column pdf set storage external;
create index document_file_due on document_file (due_at) where pdf is null;

create table document_logo (
  store_id text not null,
  hash text not null,
  -- A PNG without transparency.
  bytes bytea not null,
  primary key (store_id, hash)
);

-- The documents that are to be issued automatically.
create table document_request (
  store_id text not null,
  order_id text not null,
  -- Empty: the invoice; else the refund whose credit note it is.
  refund_id text not null,
  due_at timestamptz not null,
  primary key (store_id, order_id, refund_id)
);
create index document_request_due on document_request (due_at);

-- A trigger, so that no way by which an order is paid is missed, and in its transaction.
create function request_invoice() returns trigger language plpgsql as $$
begin
  insert into document_request (store_id, order_id, refund_id, due_at)
  select new.store_id, new.id, '', new.updated_at
  from document_setting where store_id = new.store_id and is_automatic
  on conflict do nothing;
  return null;
end $$;

create trigger order_placed_paid after insert on "order" for each row
when (new.payment = 'paid') execute function request_invoice();
create trigger order_paid after update of payment on "order" for each row
when (new.payment = 'paid' and old.payment <> 'paid') execute function request_invoice();
