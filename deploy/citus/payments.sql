-- The payments service.
select create_distributed_table('payment_method', 'store_id');
