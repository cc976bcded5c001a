-- The fixture service of the kernel's own tests stores notes.
create table note (store_id text not null, id bigint generated always as identity, text text not null, primary key (store_id, id));
