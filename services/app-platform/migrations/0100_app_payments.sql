-- The payment provider that a version offers; null: it offers none.
alter table app_version add column payments json;
