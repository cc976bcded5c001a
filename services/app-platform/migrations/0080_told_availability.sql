-- A suspension reaches an app's installs one after the other, and merchants switch theirs meanwhile: whether the app has
-- been told that it can work in a store is not what can be seen of the two.
alter table install add column is_told_available boolean not null default true;
