ALTER TABLE `queued_messages` ADD `key_id` text;--> statement-breakpoint
ALTER TABLE `queued_messages` ADD `held_reason` text;--> statement-breakpoint
ALTER TABLE `turns` ADD `key_ids` text;