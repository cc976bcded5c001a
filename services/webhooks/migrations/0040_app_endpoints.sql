-- An app is called about its installs at an endpoint of its own, which is kept as a store's endpoints are, with the app's
-- id in place of the store's. Where that is, the app platform decides: its changes are numbered, so that one that comes
-- late does not undo a later one.
alter table webhook_endpoint add column revision integer not null default 0;
