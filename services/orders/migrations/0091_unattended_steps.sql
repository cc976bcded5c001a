-- Whether nobody waits for the answer to a step any more: a refusal that comes then is mailed to the admins.
alter table payment_step add column is_unattended boolean not null default false;
