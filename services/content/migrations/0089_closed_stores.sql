-- Nobody is in a closed store who would read what its forms are sent.
alter table store_fact add column is_closed boolean not null default false;
