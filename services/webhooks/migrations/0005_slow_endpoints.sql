-- Endpoints that answer late, or not at all, have a lane of their own. The column lets all replicas know them,
-- whichever one received the outcome of the last call.
alter table webhook_endpoint add column is_slow boolean not null default false;
