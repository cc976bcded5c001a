-- The token of the shopper's page is not stored in the clear: the address ends where the token begins.

-- In steps:
update payment p set return_url = regexp_replace(p.return_url, '[^/]+$', '')
where (p.store_id, p.id) in (
    select store_id, id from payment where return_url is not null and return_url not like '%/' limit 5000
  );
