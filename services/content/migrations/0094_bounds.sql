-- How many translations a store has, kept up under the lock that its writers take; null until they are counted.
alter table translated_store add column translations bigint;
