-- The identity service.

-- Otherwise a table that refers to one which is whole on every server is noted as the coordinator's own at once, and
-- cannot be spread before those that refer to it, nor they before it.
set citus.enable_local_reference_table_foreign_keys = off;

-- The directory of stores: found by slug as well, which is unique over all of them.
select create_reference_table('store');
-- The directory of hostnames: which store a visitor sees is asked without a store, and one hostname has one store.
select create_reference_table('domain');
-- The same of the addresses that stores have left.
select create_reference_table('store_slug');
select create_reference_table('proven_hostname');
-- People belong to many stores; members of a store are shown with their names.
select create_reference_table('user_account');

select create_distributed_table('api_key', 'store_id');
select create_distributed_table('invitation', 'store_id');
select create_distributed_table('member', 'store_id');
select create_distributed_table('notification', 'store_id');
select create_distributed_table('mail_template', 'store_id');
select create_distributed_table('mail_setting', 'store_id');

reset citus.enable_local_reference_table_foreign_keys;

-- A person's, not a store's, and never read beside a store's rows: sessions and what proves who somebody is (with
-- those that refer to each other) …
select citus_add_local_table_to_metadata('session', cascade_via_foreign_keys => true);
select citus_add_local_table_to_metadata('sign_in');
select citus_add_local_table_to_metadata('refresh_token');
select citus_add_local_table_to_metadata('recovery_code');
select citus_add_local_table_to_metadata('one_time_token');
select citus_add_local_table_to_metadata('password_reset');
-- … and a queue of letters, which is taken from in the order of all of them.
select citus_add_local_table_to_metadata('mail');
select citus_add_local_table_to_metadata('outsider_mail_day');
