-- A refund of an order that has an invoice makes a credit note, where the store's invoices are automatic. A trigger, as for
-- the invoice: no way by which money goes back is missed.
create function request_credit_note() returns trigger language plpgsql as $$
begin
  insert into document_request (store_id, order_id, refund_id, due_at)
  select new.store_id, new.order_id, new.id, new.created_at
  from document_setting where store_id = new.store_id and is_automatic
  on conflict do nothing;
  return null;
end $$;

create trigger refund_made after insert on refund for each row execute function request_credit_note();
