-- The token of the shopper's page is stored while the session is being made alone.

-- In steps:
update payment_session s set return_url = regexp_replace(s.return_url, '[^/]+$', '')
where (s.store_id, s.payment_id) in (
    select store_id, payment_id from payment_session
    where (state = 'ended' or reference is not null) and return_url not like '%/' limit 5000
  );
