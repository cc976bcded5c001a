-- Where a version's islands may connect to beside the page's own origin: what merchants agree to and pages allow.
alter table app_version add column connect_origins text[] not null default '{}';

-- How many times the merchant has chosen a version: by the install, a consent, a rollback. Live pages take a version
-- that was chosen at once, and wait for a publish with one that came by itself; they tell the two apart by this.
alter table install add column choice integer not null default 0;
