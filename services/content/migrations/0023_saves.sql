-- An editor says which state of a document it began with, and shows who saved it when: so documents count their saves.
-- Null: saved before this was noted, or never.
alter table page
  -- Another with every document that there is to edit: it goes on counting when a draft is published or dropped.
  add column draft_revision integer not null default 0,
  add column draft_saved_at timestamptz,
  add column draft_saved_by text;

alter table section
  add column saves integer not null default 1,
  add column saved_by text;

alter table article_document
  add column saved_at timestamptz,
  add column saved_by text;
