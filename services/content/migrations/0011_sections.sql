-- Global sections, and which saved documents hold them.

create table section (
  store_id text not null,
  id text not null,
  name text not null,
  -- As the editor saved it last.
  document json not null,
  -- Another with every save of the document: who has read one knows whether it is still the one.
  revision uuid not null default gen_random_uuid(),
  -- The state that live pages show: the one that was saved when a page with the section was last published. Null
  -- before.
  live_document json,
  live_revision uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
);
create index section_order on section (store_id, created_at, id);

-- The sections that saved documents hold: the owner is a page (its draft), an article or another section. A section
-- cannot be deleted while a document holds it, and cannot hold itself.
create table section_use (
  store_id text not null,
  section_id text not null,
  owner_id text not null,
  primary key (store_id, section_id, owner_id),
  foreign key (store_id, section_id) references section (store_id, id)
);
create index section_use_owner on section_use (store_id, owner_id);
