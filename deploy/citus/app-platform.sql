-- The app platform.

-- The makers of apps.
select create_reference_table('organisation');
-- The apps, their icons, versions and islands: read together with a store's installations, written by their makers.
select create_reference_table('app_icon');
select create_reference_table('app');
select create_reference_table('app_version');
select create_reference_table('island');

select create_distributed_table('install', 'store_id');
select create_distributed_table('app_data', 'store_id');
select create_distributed_table('deleted_product', 'store_id');
select create_distributed_table('oauth_code', 'store_id');
select create_distributed_table('token_family', 'store_id');
select create_distributed_table('app_token', 'store_id');
select create_distributed_table('report_token', 'store_id');

-- The members of an organisation, queried only by organisation.
select citus_add_local_table_to_metadata('org_member');
select citus_add_local_table_to_metadata('org_invitation');
-- Deleted apps, queried only by app.
select citus_add_local_table_to_metadata('deleted_app');
-- The progress of sweeps over the installations of an app.
select citus_add_local_table_to_metadata('install_sweep');
