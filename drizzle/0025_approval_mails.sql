CREATE TABLE `approval_mails` (
	`user_id` text NOT NULL,
	`call_id` text NOT NULL,
	`mailed_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `call_id`)
);
--> statement-breakpoint
CREATE INDEX `approval_mails_mailed` ON `approval_mails` (`mailed_at`);--> statement-breakpoint
-- Approvals of the version before that still wait were mailed about when they were requested.
INSERT INTO `approval_mails` (`user_id`, `call_id`, `mailed_at`)
  SELECT `users`.`id`, `approvals`.`part_id`, `approvals`.`created_at` FROM `approvals`, `users` WHERE `approvals`.`status` = 'pending'
  UNION ALL
  SELECT `users`.`id`, `call_requests`.`id`, `call_requests`.`created_at` FROM `call_requests`, `users` WHERE `call_requests`.`status` = 'pending';
