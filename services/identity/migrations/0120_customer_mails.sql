-- A store's changes of the mails to its customers: `decisions.md 23.7`. A mail without a row has its default text.
create table mail_template (
  store_id text not null references store (id) on delete cascade,
  kind text not null,
  locale text not null,
  -- Null: the default, which may change with a version.
  subject text,
  body text,
  is_enabled boolean not null,
  updated_at timestamptz not null,
  primary key (store_id, kind, locale)
);

create table mail_setting (
  store_id text primary key references store (id) on delete cascade,
  -- Null: the store's name.
  sender_name text,
  reply_to text,
  updated_at timestamptz not null
);
