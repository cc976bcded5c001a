-- What an order is seen again by lay in the clear: whoever read the database could open every receipt. Of an older order
-- the task `hash-receipt-secrets` puts the hash in its place, in steps.
alter table "order"
  -- SHA-256 of each secret that was given out: one, and another where the keys they are derived from were replaced.
  add column secret_hashes bytea[];
