create unique index concurrently if not exists refund_request on refund (store_id, request_key)
  where request_key is not null;
