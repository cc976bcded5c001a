-- Texts were searched and sorted by lower-case letters alone: `cafe` did not find Café, and Ł stood after Z. All are
-- folded now, as what is searched for (`decisions.md 19.2`). The index holds the rows that are not folded yet: those of
-- before, and those that copies of an older version still write.
create index concurrently if not exists product_unfolded on product (store_id, id)
  where octet_length(search) <> char_length(search) and (search <> folded(search) or name_key <> folded(name) collate "C");

-- In steps:
update product set search = folded(search), name_key = folded(name) where (store_id, id) in (
  select store_id, id from product
  where octet_length(search) <> char_length(search) and (search <> folded(search) or name_key <> folded(name) collate "C") limit 1000
);
