-- A store's own rules for orders from its storefront; what they mean is the orders service's business. The defaults are
-- the rules that all stores had.
alter table store
  add column max_quantity integer not null default 999,
  add column expire_unpaid_after_minutes integer not null default 0;
