-- What visitors have sent with the forms of live pages. `sent` is what they said, by the names of the fields, in their
-- order. `emails` are the addresses among it, in lower case: by those a person is found who is to be erased.
create table form_submission (
  store_id text not null,
  id text not null,
  form_id text not null,
  -- Null: the form stands on no page, but in an article or a template.
  page_id text,
  sent json not null,
  emails text[] not null,
  created_at timestamptz not null,
  primary key (store_id, id)
);
create index form_submission_of_form on form_submission (store_id, form_id, id);
create index form_submission_email on form_submission using gin (emails);

-- How many submissions a store has: one row, as there is a most.
create table form_box (
  store_id text primary key,
  submissions integer not null
);
