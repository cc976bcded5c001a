-- How many deliveries an endpoint has was found by reading all of them, for each page of their list. They are counted as
-- they are made, by the partition that they are in, with which they go. What is in the default partition, from before
-- there were others for the most part, is not counted.
create table webhook_delivery_count (
  store_id text not null,
  endpoint_id text not null,
  partition text not null,
  deliveries integer not null,
  primary key (store_id, endpoint_id, partition)
) with (fillfactor = 70);
