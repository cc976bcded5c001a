-- The media service.
select create_distributed_table('media_folder', 'store_id');
select create_distributed_table('media_asset', 'store_id');
select create_distributed_table('media_reservation', 'store_id');
select create_distributed_table('media_usage', 'store_id');
select create_distributed_table('media_variant', 'store_id');

-- One row each: the progress of a sweep over all stores.
select citus_add_local_table_to_metadata('media_search');
select citus_add_local_table_to_metadata('media_trash_sweep');
