-- The text of an image for people who do not see it, and the point that stays visible where it is cropped.
alter table media_asset
  add column alt text not null default '',
  -- From the left and from the top, 0 to 1; both null or neither.
  add column focal_x double precision,
  add column focal_y double precision;
