-- The report of sales adds up what moved in each interval from this index alone.
create index concurrently if not exists payment_entry_moved on payment_entry (store_id, at)
  include (currency, kind, amount_cents, is_excess) where kind in ('captured', 'refunded');

-- In steps:
update payment_entry e set currency = p.currency
from payment p
where p.store_id = e.store_id and p.id = e.payment_id
  and (e.store_id, e.payment_id, e.id) in (
    select store_id, payment_id, id from payment_entry where currency is null limit 5000
  );
