-- A store or an organisation that is new mails few outsiders a day, so that nobody makes one to send mail with. A row is
-- a sender's day in UTC.
create table outsider_mail_day (
  -- A store or an organisation.
  sender_id text not null,
  day date not null,
  -- Hashes of the addresses that were mailed.
  addresses text[] not null,
  -- Whether the owners have been told that further mails wait.
  is_told boolean not null default false,
  primary key (sender_id, day)
);
create index outsider_mail_day_age on outsider_mail_day (day);
