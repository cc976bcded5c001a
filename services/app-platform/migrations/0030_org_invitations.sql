-- The invitations to organisations, also of people who have no account yet. The link's token belongs to identity. An
-- accepted invitation stays until it expires, so that accepting it twice has the same result; a withdrawn one is
-- deleted.
create table org_invitation (
  org_id text not null references organisation (id) on delete cascade,
  id text not null,
  -- Lower-case.
  email text not null,
  role text not null check (role in ('owner', 'developer')),
  -- A user; the invitation counts as long as that one is an owner.
  invited_by text not null,
  -- The user who has accepted it.
  accepted_by text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (org_id, id)
);
create unique index org_invitation_of_address on org_invitation (org_id, email);
create index org_invitation_in_order on org_invitation (org_id, created_at, id);
create index org_invitation_expiry on org_invitation (expires_at);
