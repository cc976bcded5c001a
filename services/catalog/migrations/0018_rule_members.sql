-- How many products a rule's category contains, and whether it would contain more if the store had room for them
-- (`decisions.md 20.3`). Rules that are there already are counted by their next scan.
alter table category
  add column members bigint not null default 0,
  add column truncated boolean not null default false;
