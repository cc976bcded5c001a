-- The orders service: every row belongs to a store.

-- Without this setting, Citus distributes no table with triggers. Those of "order" write to sale_line, in the store of
-- their row.
set citus.enable_unsafe_triggers = on;

select create_distributed_table('"order"', 'store_id');
select create_distributed_table('order_count', 'store_id');
select create_distributed_table('sale_line', 'store_id');
select create_distributed_table('store_total', 'store_id');
select create_distributed_table('customer', 'store_id');
select create_distributed_table('customer_erasure', 'store_id');
select create_distributed_table('checkout', 'store_id');
select create_distributed_table('checkout_setting', 'store_id');
select create_distributed_table('pricing_rule', 'store_id');
select create_distributed_table('discount', 'store_id');
select create_distributed_table('discount_code', 'store_id');
select create_distributed_table('discount_use', 'store_id');
select create_distributed_table('payment', 'store_id');
select create_distributed_table('payment_entry', 'store_id');
select create_distributed_table('payment_step', 'store_id');
select create_distributed_table('payment_choice', 'store_id');
select create_distributed_table('fulfillment', 'store_id');
select create_distributed_table('order_note', 'store_id');
select create_distributed_table('document_setting', 'store_id');
select create_distributed_table('document_counter', 'store_id');
select create_distributed_table('document', 'store_id');
select create_distributed_table('document_file', 'store_id');
select create_distributed_table('document_logo', 'store_id');
select create_distributed_table('document_request', 'store_id');
select create_distributed_table('refund', 'store_id');
select create_distributed_table('order_return', 'store_id');
select create_distributed_table('custom_field', 'store_id');
