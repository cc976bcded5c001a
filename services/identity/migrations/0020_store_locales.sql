-- The languages that a store is shown in, the one that it is written in first; null: it has not said.
alter table store add column locales text[];
