-- Orders that nobody pays do not hold stock for ever: in stores made from now on they are cancelled after a while, unless
-- the merchant says otherwise. Stores that are there keep what they have.
alter table store add column expire_manual_after_days integer not null default 0;
alter table store
  alter column expire_manual_after_days set default 14,
  alter column expire_unpaid_after_minutes set default 60;
