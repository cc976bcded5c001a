-- Where an app is called about its installs. The secret that these calls are signed with is kept by the webhooks service;
-- here stands since when there is one, and until when the one before counts.
alter table app
  add column webhook_url text,
  -- One more with each change of the address, so that the last one holds wherever they are heard of.
  add column webhook_revision integer not null default 0,
  add column webhook_secret_issued_at timestamptz,
  add column previous_webhook_secret_expires_at timestamptz;
