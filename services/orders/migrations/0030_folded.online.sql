-- Texts were searched and sorted by lower-case letters alone: `cafe` did not find Café, and Ł stood after Z. All are
-- folded now, as what is searched for (`decisions.md 19.2`). The index holds the rows that are not folded yet: those of
-- before, and those that copies of an older version still write.
create index concurrently if not exists customer_unfolded on customer (store_id, id)
  where octet_length(search) <> char_length(search) and (search <> folded(search) or name_key <> folded(name) collate "C");

-- In steps:
update customer set search = folded(search), name_key = folded(name) where (store_id, id) in (
  select store_id, id from customer
  where octet_length(search) <> char_length(search) and (search <> folded(search) or name_key <> folded(name) collate "C") limit 1000
);

create index concurrently if not exists order_unfolded on "order" (store_id, id)
  where octet_length(search) <> char_length(search) and (search <> folded(search));

-- In steps:
update "order" set search = folded(search) where (store_id, id) in (
  select store_id, id from "order"
  where octet_length(search) <> char_length(search) and (search <> folded(search)) limit 1000
);
