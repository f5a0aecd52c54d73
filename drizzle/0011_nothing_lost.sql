ALTER TABLE `entries` ADD `planned` text;--> statement-breakpoint
ALTER TABLE `queued_messages` ADD `key_id` text;--> statement-breakpoint
ALTER TABLE `queued_messages` ADD `held_reason` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `summarizer_pause` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `deleted_at` integer;--> statement-breakpoint
CREATE INDEX `sessions_deleted` ON `sessions` (`deleted_at`) WHERE deleted_at is not null;--> statement-breakpoint
ALTER TABLE `turns` ADD `key_ids` text;--> statement-breakpoint
CREATE INDEX `compactions_summary` ON `compactions` (`summary_message_id`);