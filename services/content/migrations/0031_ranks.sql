-- Positions shift whenever something comes, goes or moves before them, so a cursor that named one would lead to another
-- place. A rank stays while the row is not moved itself; it is some number between those of the neighbours, and null
-- until something is placed among its siblings.
alter table page add column rank numeric;
alter table blog_category add column rank numeric;
