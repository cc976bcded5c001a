-- Returns of all orders, by time, and those of one state: members look at what waits for an answer.
create index concurrently if not exists order_return_by_time on order_return (store_id, created_at, id);
create index concurrently if not exists order_return_by_state on order_return (store_id, state, created_at, id);
