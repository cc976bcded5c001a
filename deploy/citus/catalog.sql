-- The catalog service: every row belongs to a store.
select create_distributed_table('product', 'store_id');
select create_distributed_table('product_total', 'store_id');
select create_distributed_table('variant', 'store_id');
select create_distributed_table('reservation', 'store_id');
select create_distributed_table('price_period', 'store_id');
select create_distributed_table('gone_variant', 'store_id');
select create_distributed_table('category', 'store_id');
select create_distributed_table('custom_field', 'store_id');
select create_distributed_table('category_product', 'store_id');
select create_distributed_table('category_total', 'store_id');
