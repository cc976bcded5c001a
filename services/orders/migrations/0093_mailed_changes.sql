-- When it changed in ways that its customer is mailed about: the flag of the last change would hide those before, whose
-- mails may still wait. Null: it has not changed since this was recorded.
alter table fulfillment add column mailed_changes timestamptz[];
alter table order_return add column mailed_changes timestamptz[];
