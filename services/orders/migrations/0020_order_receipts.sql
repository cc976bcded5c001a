-- A buyer returns to an order without an account, at an address that nobody can guess, and finds the payment link
-- there. Neither column needs a value for older orders, because their buyers received no such address.
alter table "order"
  -- 128 random bits, base64url; a part of the address.
  add column secret text,
  add column payment_url text;
