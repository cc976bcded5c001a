-- An order takes its stock before it is written, in another service's database. What it has taken stands here until
-- that service has said whether the order was placed: then the row goes, and with it the stock or not.
create table reservation (
  store_id text not null,
  order_id text not null,
  -- The order's line items, as they were answered: names and prices of that moment.
  lines json not null,
  -- Nobody can make it (again) from then on; some time later the orders service is asked.
  expires_at timestamptz not null,
  primary key (store_id, order_id)
);
create index reservation_expiry on reservation (expires_at);
