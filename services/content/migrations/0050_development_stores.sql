-- What is shown in a development store is not for search engines, and its pages say so.
alter table store_fact add column is_development boolean not null default false;
