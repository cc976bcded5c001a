-- The live form of pages: what visitors get, everything that it was made of, and which of it has to be made again
-- because something that it shows has changed.

create table live_page (
  store_id text not null,
  page_id text not null,
  -- The published document, from which the page is rendered again.
  document json not null,
  -- Everything it was made of but the document, so that it can be made in another locale without asking anybody:
  -- sections, blocks, and the facts of products, media and app data.
  sources json not null,
  -- The output of the renderer for it.
  rendered json not null,
  -- The renderer that did.
  renderer text not null,
  -- One more with every making.
  version bigint not null default 1,
  primary key (store_id, page_id),
  foreign key (store_id, page_id) references page (store_id, id) on delete cascade
);
create index live_page_renderer on live_page (renderer);

-- The other things that a live page shows. By kind, `ref` is the id of a section, a product, a media asset, a page
-- or an app, `<app id>/<block key>` of a block, `<app id>/<key>/<owner>/<owner's id>` of a value of app data.
create table live_page_dependency (
  store_id text not null,
  kind text not null check (kind in ('section', 'product', 'media', 'page', 'app', 'block', 'appData')),
  ref text not null,
  page_id text not null,
  -- Of an app: the id of the version that its blocks were taken from, null when it had none to give.
  version text,
  primary key (store_id, kind, ref, page_id),
  foreign key (store_id, page_id) references live_page (store_id, page_id) on delete cascade
);
create index live_page_dependency_page on live_page_dependency (store_id, page_id);

-- The live pages to make again. A row goes when its page was made from what held after the row's last change.
create table stale_page (
  store_id text not null,
  page_id text not null,
  -- Whether it takes the newest builds of its blocks, as at a publish, or keeps those that it has.
  takes_new_builds boolean not null,
  -- Another with every reason that comes in.
  revision uuid not null default gen_random_uuid(),
  -- A little later than the reason, as changes come in flocks; later still while somebody has it in hand.
  due_at timestamptz not null,
  failures integer not null default 0,
  primary key (store_id, page_id),
  foreign key (store_id, page_id) references live_page (store_id, page_id) on delete cascade
);
create index stale_page_due on stale_page (due_at);

-- Recent changes. A page that was being rendered at the time may have read the earlier state, and its dependencies are
-- only visible from its commit on, so it checks this table at its commit. Written under the lock of the store's page
-- list.
create table fact_change (
  store_id text not null,
  kind text not null,
  ref text not null,
  number bigint generated always as identity,
  changed_at timestamptz not null default now(),
  primary key (store_id, kind, ref)
);
create index fact_change_number on fact_change (store_id, number);
create index fact_change_age on fact_change (changed_at);
