-- The app platform.

-- Who makes apps.
select create_reference_table('organisation');
-- The apps, their icons, versions and islands: read with a store's installs, written by their makers.
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

-- An organisation's people, asked about by organisation alone.
select citus_add_local_table_to_metadata('org_member');
select citus_add_local_table_to_metadata('org_invitation');
-- Apps that are no more, asked about by app alone.
select citus_add_local_table_to_metadata('deleted_app');
-- How far a sweep over the installs of an app has come.
select citus_add_local_table_to_metadata('install_sweep');
