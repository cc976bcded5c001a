-- Mails of a store whose owner has no verified address wait for a week at most: how long a mail has waited counts from
-- here. Those of before count from now on.
alter table mail add column created_at timestamptz not null default now();
