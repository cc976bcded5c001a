-- The order that a mail to its customer is about. The order's timeline shows such mails, so they are kept for longer.
alter table mail add column order_id text collate "C";
