-- What an app's endpoint may read stays the app's, whoever replaced it. There are few such rows: the update takes no
-- lock but theirs.
update webhook_endpoint set owner_id = app_id where app_id is not null and owner_id is distinct from app_id;
