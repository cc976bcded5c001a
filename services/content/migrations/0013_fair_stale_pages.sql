-- Stores take turns when their pages are made again: the line is read from one store to the next, and by age within
-- a store.
drop index stale_page_due;
create index stale_page_due on stale_page (store_id, due_at);
