-- Along the index entry of a store that holds most of the table a search walked over all its rows, to find what the
-- words alone find as well. As an expression the store can be left out of the question for the index (`storeInIndex`
-- in the kernel), and stays in it for the rows.
drop index order_search;
create index order_search on "order" using gin ((store_id || ''), search gin_trgm_ops);

drop index customer_search;
create index customer_search on customer using gin ((store_id || ''), search gin_trgm_ops);
