-- In development stores, the developers of an app install a version that nobody has reviewed, and keep changing it.
alter table install
  -- Its version was chosen by a member of the app's organisation, in whatever state it was, and no other is taken by
  -- itself; only in development stores.
  add column is_development boolean not null default false,
  -- Whether the contributions of its version have changed since live pages were last updated.
  add column has_changed boolean not null default false;

-- Pages that were made before an island had its present module go on naming the one that it had, for some seconds.
alter table island
  add column former_module_sha256 text,
  -- When the present one took its place.
  add column module_changed_at timestamptz;
