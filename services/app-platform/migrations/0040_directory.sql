-- The description and the icon of an app in the directory. `install_count` is counted every minute, because the
-- directory is sorted by it: counting for each page would take long for a popular app, and counting with each install
-- would make the installs of an app wait for each other.
create table app_icon (
  -- Names the object with the bytes: each upload has one of its own, so that a deletion never meets a later upload.
  id text primary key,
  -- When it goes unless an app has it then: while it is being uploaded in an hour, once it is replaced at once.
  sweep_at timestamptz not null
);

alter table app
  add column description text not null default '',
  add column website text,
  add column support_email text,
  add column privacy_url text,
  add column install_url text,
  add column is_listed boolean not null default false,
  add column install_count integer not null default 0,
  add column icon_id text references app_icon (id),
  -- How the icon is called at its public address: `<sha256>.png` or `.webp`.
  add column icon_file text;
