-- After how many days an order is cancelled that is unpaid and waits for no provider: `decisions.md 19.12`.
alter table checkout_setting add column expire_manual_after_days integer not null default 0;
