-- The minutes were for every unpaid order until now. Whole days are never sooner.
-- In steps:
update checkout_setting set expire_manual_after_days = ceil(expire_unpaid_after_minutes / 1440.0)
where store_id in (
  select store_id from checkout_setting
  where expire_unpaid_after_minutes > 0 and expire_manual_after_days = 0 limit 1000
);

create index concurrently if not exists checkout_setting_expiring_manual on checkout_setting (store_id)
  where expire_manual_after_days > 0;
drop index concurrently if exists checkout_setting_expiring;
