-- What an image says to those who do not see it, and which point of it stays in sight where it is cropped.
alter table media_asset
  add column alt text not null default '',
  -- From the left and from the top, 0 to 1; both null or neither.
  add column focal_x double precision,
  add column focal_y double precision;
