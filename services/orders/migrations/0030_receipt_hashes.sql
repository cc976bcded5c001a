-- The secrets of receipts were stored in the clear, so that a reader of the database could open every receipt. The task
-- `hash-receipt-secrets` replaces those of older orders by their hashes, in steps.
alter table "order"
  -- SHA-256 of each secret that was given out: one, and another where the keys they are derived from were replaced.
  add column secret_hashes bytea[];
