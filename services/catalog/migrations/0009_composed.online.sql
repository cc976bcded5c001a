-- Names were found only by texts that were composed as they were: é as one letter, or as e and an accent. All are
-- composed now, as what is searched for.
update product set search = normalize(search, nfc) where search is not nfc normalized;
