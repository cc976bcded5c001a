-- In which locales a store is shown: its own choice, which its events tell; of one that has not chosen, the first 20
-- that it has texts in.
alter table store_fact add column locales text[];

-- The facts about a store's translations that a visit needs. Every write of translations updates its row and locks it
-- until its commit. Without the row, each visit would read one locale after the other, and in a locale every value that
-- the page shows. A store whose translations were last written before this table has no row yet.
create table translated_store (
  store_id text primary key,
  -- All that a value, even an empty one, is stored in; also one that has none any more, until the room is needed.
  locales text[] not null,
  -- The first 20 of those that a text is stored in.
  live_locales text[] not null,
  -- Another with every change of the store's translations.
  revision bigint not null default 1
);
