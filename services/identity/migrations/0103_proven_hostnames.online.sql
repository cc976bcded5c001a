-- In steps:
insert into proven_hostname (hostname, store_id)
select hostname, store_id from domain
where state = 'active' and not exists (select from proven_hostname p where p.hostname = domain.hostname)
limit 1000
on conflict do nothing;
