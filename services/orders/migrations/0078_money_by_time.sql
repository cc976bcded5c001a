-- Entries say in which currency they are, so that reports add them up without their payments. Null: of before, or of an
-- older copy of this service.
alter table payment_entry add column currency text;
