ALTER TABLE `sessions` ADD `deleted_at` integer;--> statement-breakpoint
CREATE INDEX `sessions_deleted` ON `sessions` (`deleted_at`) WHERE deleted_at is not null;--> statement-breakpoint
CREATE INDEX `compactions_summary` ON `compactions` (`summary_message_id`);