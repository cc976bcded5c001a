-- Pages of a development store tell search engines not to list them.
alter table store_fact add column is_development boolean not null default false;
