-- Who has placed an order looks at it again without an account, by an address that nobody can guess, and finds there
-- where it is paid. Neither column has a value to fill in: of an older order nobody was given an address.
alter table "order"
  -- 128 random bits, base64url; a part of the address.
  add column secret text,
  add column payment_url text;
