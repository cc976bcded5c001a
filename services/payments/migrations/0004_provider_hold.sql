-- A row: the system was restored from a backup, and calls no provider until an operator has said that it may.
create table provider_hold (
  since timestamptz not null primary key
);
