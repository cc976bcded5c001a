-- An older copy of this service, beside this one, changes the state of an order and knows no ledger: this one always writes a
-- payment first. The sums of such an order are unknown then, and its entries are made of its state when they are first needed.
create function forget_order_sums() returns trigger language plpgsql as $$
begin
  if not exists (select from payment p where p.store_id = new.store_id and p.order_id = new.id) then
    new.paid_cents := null;
    new.refunded_cents := null;
  end if;
  return new;
end $$;

create trigger order_without_ledger before update of payment on "order"
  for each row when (new.payment <> old.payment) execute function forget_order_sums();
