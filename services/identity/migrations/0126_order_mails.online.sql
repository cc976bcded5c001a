-- The mails of an order. The others are deleted a day after they were sent, without a look at those that are kept.
create index concurrently if not exists mail_of_order on mail (order_id, id) where order_id is not null;
create index concurrently if not exists mail_sent_other on mail (settled_at) where state = 'sent' and order_id is null;
