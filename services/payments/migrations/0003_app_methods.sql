-- Whether the app of a method is not available in the store: the method is not offered, and serves the payments that it began.
alter table payment_method add column is_app_away boolean not null default false;
