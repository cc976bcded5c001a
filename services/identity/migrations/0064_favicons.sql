-- The picture that browsers show beside the titles of a store's pages.
alter table store add column favicon_media_id text;
