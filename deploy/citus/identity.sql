-- The identity service.

-- Otherwise Citus registers a table with a reference to a reference table as a local table of the coordinator at once.
-- Then it could not be distributed before the tables that refer to it, nor they before it.
set citus.enable_local_reference_table_foreign_keys = off;

-- The directory of stores, also looked up by slug, which is unique across all stores.
select create_reference_table('store');
-- The directory of hostnames: the store of a visit is looked up without knowing the store, and one hostname has one
-- store.
select create_reference_table('domain');
-- The former slugs of stores and the proven hostnames are also looked up without knowing the store.
select create_reference_table('store_slug');
select create_reference_table('proven_hostname');
-- Users belong to many stores; members of a store are shown with their names.
select create_reference_table('user_account');

select create_distributed_table('api_key', 'store_id');
select create_distributed_table('invitation', 'store_id');
select create_distributed_table('member', 'store_id');
select create_distributed_table('notification', 'store_id');
select create_distributed_table('mail_template', 'store_id');
select create_distributed_table('mail_setting', 'store_id');

reset citus.enable_local_reference_table_foreign_keys;

-- Data of persons, not of stores, which is never read together with a store's rows: sessions and credentials (with the
-- tables that refer to each other) …
select citus_add_local_table_to_metadata('session', cascade_via_foreign_keys => true);
select citus_add_local_table_to_metadata('sign_in');
select citus_add_local_table_to_metadata('refresh_token');
select citus_add_local_table_to_metadata('recovery_code');
select citus_add_local_table_to_metadata('one_time_token');
select citus_add_local_table_to_metadata('password_reset');
-- … and a queue of mails, which are taken in their overall order.
select citus_add_local_table_to_metadata('mail');
select citus_add_local_table_to_metadata('outsider_mail_day');
