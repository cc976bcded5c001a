-- The record of who made a change is written in the transaction of that change. So every service holds its own part of
-- the audit of a store or an organisation (`owner_id`). Entries are dropped a month at a time: ids begin with their
-- time, which `at` repeats.
create table audit_entry (
  owner_id text not null collate "C",
  id text not null collate "C",
  at timestamptz not null,
  actor_type text not null,
  -- `system` if no request caused the change.
  actor_id text not null collate "C",
  action text not null collate "C",
  target_id text not null,
  target_name text,
  changed text[] not null,
  ip text,
  request_id text,
  primary key (owner_id, id)
) partition by range (id);
-- One index for each filter and one for both, so that no query reads more rows than it returns, even if few or none
-- match. They sort by an expression of their own, so that the planner does not choose the primary key instead
-- (audit/entries.ts).
create index audit_entry_actor on audit_entry (owner_id, actor_id, (id || ''));
create index audit_entry_action on audit_entry (owner_id, action, (id || ''));
create index audit_entry_both on audit_entry (owner_id, actor_id, action, (id || ''));

create table audit_entry_default partition of audit_entry default;
create index audit_entry_default_age on audit_entry_default (at);
