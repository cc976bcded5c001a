-- Names were found only by texts that were composed as they were: é as one letter, or as e and an accent. All are
-- composed now, as what is searched for.
-- In steps:
update media_asset set search = normalize(search, nfc) where (store_id, id) in (
  select store_id, id from media_asset where search is not nfc normalized limit 1000
);
