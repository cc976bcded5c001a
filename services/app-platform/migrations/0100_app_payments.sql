-- What a version takes payments as; null: it takes none.
alter table app_version add column payments json;
