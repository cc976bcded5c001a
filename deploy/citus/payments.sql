-- The payments service.
select create_distributed_table('payment_method', 'store_id');
select create_distributed_table('payment_session', 'store_id');
select create_distributed_table('payment_fact', 'store_id');
select create_distributed_table('payment_step', 'store_id');
select create_distributed_table('provider_event', 'store_id');
select create_distributed_table('method_announcement', 'store_id');
select create_distributed_table('reconciliation', 'store_id');
select create_reference_table('provider_hold');
