-- When the last payment of an order at a provider began; null: it has none, so the store's days for manual payments count.
alter table "order" add column pays_since timestamptz;
