-- In which locales a store is shown: its own choice, which its events tell; of one that has not chosen, the first 20
-- that it has texts in.
alter table store_fact add column locales text[];

-- What a visit needs to know of all a store's translations, kept by whoever writes them: without it each visit would read
-- one locale after the other, and in a locale every value that the page shows. Who writes a store's translations
-- holds its row meanwhile. There is none yet for a store whose translations were last written before this table.
create table translated_store (
  store_id text primary key,
  -- All that a value, even an empty one, is stored in; also one that has none any more, until the room is needed.
  locales text[] not null,
  -- The first 20 of those that a text is stored in.
  live_locales text[] not null,
  -- Another with every change of the store's translations.
  revision bigint not null default 1
);
