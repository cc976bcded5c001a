-- A published builder article shows what was live when it was published, as pages do. So it has a live page too, under
-- the article's id; whoever deletes a page or an article deletes its live page.
alter table live_page drop constraint live_page_store_id_page_id_fkey;

-- How often the document was saved, and which save was published last, null for none. What is saved today is what
-- visitors see of the articles that are published.
alter table article_document
  add column revision integer not null default 1,
  add column published_revision integer default 1;
alter table article_document alter column published_revision drop default;
