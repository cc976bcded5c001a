-- Users with a second factor, in the order in which their secrets are sealed anew: few of many, and no walk through all
-- users is to find them.
create index concurrently if not exists user_account_totp on user_account (id) where totp_secret is not null;
