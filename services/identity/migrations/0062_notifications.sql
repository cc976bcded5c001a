-- Members say for each store whether they are mailed of its orders; who has said nothing is where a row is missing: owners
-- are, others are not. It goes with the membership.
create table notification (
  store_id text not null,
  user_id text not null,
  order_created boolean not null,
  primary key (store_id, user_id),
  foreign key (store_id, user_id) references member (store_id, user_id) on delete cascade
);
-- A user's, and a member's by the foreign key's other way round.
create index notification_of_user on notification (user_id);
