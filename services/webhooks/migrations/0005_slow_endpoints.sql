-- Who answers late, or not at all, has a lane of its own: all copies of the service are to know, whichever of them was
-- told how the last call went.
alter table webhook_endpoint add column is_slow boolean not null default false;
