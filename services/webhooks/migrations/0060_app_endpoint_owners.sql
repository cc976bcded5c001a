-- The rights of an app's endpoint stay those of the app, whoever replaced it. There are few such rows, and the update
-- locks no others.
update webhook_endpoint set owner_id = app_id where app_id is not null and owner_id is distinct from app_id;
