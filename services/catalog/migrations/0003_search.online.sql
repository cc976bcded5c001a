-- Along the index entry of a store that holds most of the table a search walked over all its rows, to find what the
-- words alone find as well. As an expression the store can be left out of the question for the index (`storeInIndex`
-- in the kernel), and stays in it for the rows.
-- The new index stands before the old one goes, and neither takes the table from anybody.
create index concurrently if not exists product_search_new on product using gin ((store_id || ''), search gin_trgm_ops);
drop index concurrently if exists product_search;
alter index product_search_new rename to product_search;
