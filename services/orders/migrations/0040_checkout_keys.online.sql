-- Keys of checkouts lay in the clear: whoever read the database could send a shopper's request again and have the order
-- and its address answered. Hashes are stored now. A key that a copy of an older version writes counts as its hash, so
-- that no two copies place an order twice; the task `hash-checkout-keys` puts the hash in its place, in steps.
create or replace function checkout_key_hash(text) returns text language sql immutable strict parallel safe as $$
  select case when $1 like 'sha256:%' then $1 else 'sha256:' || encode(sha256(convert_to($1, 'UTF8')), 'hex') end
$$;

create unique index concurrently if not exists checkout_key on checkout (store_id, checkout_key_hash(idempotency_key));

-- The keys that are still to be hashed; soon there are none.
create index concurrently if not exists checkout_clear_key on checkout (store_id, created_at)
  where idempotency_key not like 'sha256:%';
