-- The submissions of visitors to the forms of live pages. `sent` has their values by the names of the fields, in the
-- order of the form. `emails` are the addresses in it, in lower case: an erasure finds a person's submissions by them.
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
