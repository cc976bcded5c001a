-- The order of lists, and indexes that show without a look at every row whether ranks must be assigned anew.
create index concurrently if not exists page_rank on page (store_id, (coalesce(rank, position)), id);
create index concurrently if not exists page_unranked on page (store_id) where rank is null or scale(rank) > 300;

create index concurrently if not exists blog_category_rank on blog_category
  (store_id, parent_id nulls first, (coalesce(rank, position)), id);
create index concurrently if not exists blog_category_unranked on blog_category (store_id, parent_id)
  where rank is null or scale(rank) > 300;
