-- A program on somebody's computer signs in by what they say in a browser where they are signed in already. The rows that
-- are there have one of the three purposes, so nothing has to be looked through.
alter table one_time_token drop constraint one_time_token_purpose_check;
alter table one_time_token add constraint one_time_token_purpose_check
  check (purpose in ('verify', 'reset', 'invitation', 'login')) not valid;
