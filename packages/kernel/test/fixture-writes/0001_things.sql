-- The fixture service of the suites about safe writes stores things, and counts how often they were read.
create table thing (store_id text not null, id text not null, name text not null, looks integer not null default 0, primary key (store_id, id), unique (store_id, name));
