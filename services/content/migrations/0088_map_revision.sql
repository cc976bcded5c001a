-- Another whenever something changes that search engines are told in the sitemap and that no page shows of another: which
-- pages are to be found, when they were published, where a category is.
alter table page_list add column map_revision bigint not null default 0;
