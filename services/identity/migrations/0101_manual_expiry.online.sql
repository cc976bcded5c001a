-- The minutes were for every unpaid order until now. Whole days are never sooner.
-- In steps:
update store set expire_manual_after_days = ceil(expire_unpaid_after_minutes / 1440.0)
where id in (
  select id from store where expire_unpaid_after_minutes > 0 and expire_manual_after_days = 0 limit 1000
);
