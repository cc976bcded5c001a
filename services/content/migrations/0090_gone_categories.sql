-- A million articles may stand in a category that is deleted: its row goes at once, what lists them in it goes in steps.
-- Each such category stands here until then.
create table gone_category (
  store_id text not null,
  id text not null,
  primary key (store_id, id)
);
