ALTER TABLE `users` ADD `sites` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `site_id` text DEFAULT 'embedded' NOT NULL;--> statement-breakpoint
ALTER TABLE `call_requests` ADD `site_id` text DEFAULT 'embedded' NOT NULL;--> statement-breakpoint
UPDATE `sessions` SET `site_id` = coalesce((SELECT `id` FROM `wordpress_sites` WHERE `is_active`), 'embedded');--> statement-breakpoint
UPDATE `sessions` SET `site_id` = `newest`.`site_id` FROM (SELECT `session_id`, `site_id`, max(`seq`) FROM `revisions` WHERE `session_id` IS NOT NULL GROUP BY `session_id`) AS `newest` WHERE `sessions`.`id` = `newest`.`session_id` AND NOT EXISTS (SELECT 1 FROM `turns` WHERE `turns`.`session_id` = `sessions`.`id` AND `turns`.`status` IN ('running', 'waiting_approval'));--> statement-breakpoint
UPDATE `call_requests` SET `site_id` = coalesce((SELECT `id` FROM `wordpress_sites` WHERE `is_active`), 'embedded');
