-- A draft that was changed and changed back is what visitors see. The save whose document that is, so that no list has to
-- compare documents. Null, or another save: the document differs, or nobody has compared it. Copies of an older version
-- give each save another revision and leave this column, so it never tells of their saves.
alter table page_draft add column unchanged_revision uuid;
alter table article_document add column unchanged_revision integer;
