-- Along the index entry of a store that holds most of the table a search walked over all its rows, to find what the
-- words alone find as well. As an expression the store can be left out of the question for the index (`storeInIndex`
-- in the kernel), and stays in it for the rows.
-- The new index stands before the old one goes, and neither takes the table from anybody.
create index concurrently if not exists order_search_new on "order" using gin ((store_id || ''), search gin_trgm_ops);
drop index concurrently if exists order_search;
alter index order_search_new rename to order_search;

create index concurrently if not exists customer_search_new on customer using gin ((store_id || ''), search gin_trgm_ops);
drop index concurrently if exists customer_search;
alter index customer_search_new rename to customer_search;
