-- Above which sum a refund takes an admin, and for how long shoppers may ask for a return.
alter table store add column refund_limit_cents bigint;
alter table store add column return_days integer not null default 14;
