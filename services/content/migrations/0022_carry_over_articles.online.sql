-- So far, visitors see the saved documents of published builder articles, with sections as they are saved: those go
-- live. The task that renders pages of another renderer again makes their live pages; `version` is 0 until then.

-- Of a section that no publish has taken yet, this is what is live. One of a draft alone shows nowhere, and is
-- published as it is saved all the same.
-- In steps:
update section set live_document = document, live_revision = revision
where live_document is null and (store_id, id) in (
  select held.store_id, held.id from section held
  join section_use used on used.store_id = held.store_id and used.section_id = held.id
  where held.live_document is null limit 1000
);

insert into live_page (store_id, page_id, document, sources, rendered, renderer, version)
select d.store_id, d.article_id, d.document,
  '{"currency":"EUR","sections":{},"apps":{},"products":{},"media":{},"pages":{},"appValues":[]}',
  '{"html":"","css":"","islands":[]}', '', 0
from article_document d join article a on a.store_id = d.store_id and a.id = d.article_id
where a.status = 'published'
on conflict do nothing;
